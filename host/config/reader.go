package config

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/prose"
)

// reader interprets a decoded file.
type reader struct {
	data    []byte
	offsets offsets
	of      kind
	file    string
	// first is the error that occurs first in the file, at offset where.
	first *Error
	at    int
}

// document reads the whole file.
func (r *reader) document(config *Config, document map[string]any) {
	run := func(c *Config) *Runs { return &c.Run.Project }
	top, known := topLevel(), tables()
	if r.of == users {
		run = func(c *Config) *Runs { return &c.Run.Personal }
		top, known = table{}, nil
	}
	known = append(known, r.runTable(run, ""))
	for _, name := range slices.Sorted(maps.Keys(document)) {
		if slices.Contains(top.names(), name) {
			r.table(config, top, map[string]any{name: document[name]})
			continue
		}
		at := slices.IndexFunc(known, func(t table) bool { return t.name[0] == name })
		if at < 0 {
			r.unknown(top, known, name)
			continue
		}
		values, isTable := document[name].(map[string]any)
		if !isTable {
			r.blame("is "+found(document[name]), fmt.Sprintf("it must be a table, which begins with [%s]", name), name)
			continue
		}
		if name == "run" {
			values = r.languages(config, run, known[at], values)
		}
		r.table(config, known[at], values)
	}
}

// languages reads the tables of single languages, and returns the other values of [run].
func (r *reader) languages(config *Config, run func(*Config) *Runs, all table, values map[string]any) map[string]any {
	rest := maps.Clone(values)
	for name, value := range values {
		inner, isTable := value.(map[string]any)
		if isTable && !slices.Contains(all.names(), name) && language.MatchString(name) {
			delete(rest, name)
			r.table(config, r.runTable(run, name), inner)
		}
	}
	return rest
}

func (r *reader) table(config *Config, table table, values map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		key := append(slices.Clone(table.name), name)
		at := slices.IndexFunc(table.settings, func(s setting) bool { return s.name == name })
		if at < 0 {
			r.blame("is unknown", meant(name, table.names()), key...)
			continue
		}
		switch s := table.settings[at]; {
		case s.only != anyone && s.only != r.of:
			r.blame("belongs in "+string(s.only)+" file", s.because, key...)
		case !s.take(config, values[name]):
			r.blame("is "+found(values[name]), "it must be "+s.allowed, key...)
		}
	}
}

// unknown blames a key outside of the tables that may belong in one.
func (r *reader) unknown(top table, known []table, name string) {
	names := top.names()
	for _, t := range known {
		names = append(names, t.name[0])
		if slices.Contains(t.names(), name) {
			r.blame("is unknown here", fmt.Sprintf("it belongs below [%s]", t.name[0]), name)
			return
		}
	}
	if r.of == users && (slices.Contains(topLevel().names(), name) || slices.ContainsFunc(tables(), func(t table) bool { return t.name[0] == name })) {
		r.blame("is about a workspace", "it belongs in the "+FileName+" there", name)
		return
	}
	r.blame("is unknown", meant(name, names), name)
}

// blame keeps an error if it occurs before the present one.
func (r *reader) blame(reason, fix string, key ...string) {
	at := r.offsets[pathOf(key...)]
	if r.first != nil && r.at <= at {
		return
	}
	r.at = at
	r.first = &Error{Line: lineAt(r.data, at), Key: dotted(key), Reason: reason, Fix: fix}
}

func (t table) names() []string {
	var names []string
	for _, s := range t.settings {
		names = append(names, s.name)
	}
	return names
}

// found describes a value.
func found(value any) string {
	switch v := value.(type) {
	case string:
		return "the text " + prose.Quote(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return "the fraction " + strconv.FormatFloat(v, 'g', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	case []any:
		return "a list"
	case map[string]any:
		return "a table"
	case time.Time:
		return "a date"
	}
	return "a date or a time"
}

// dotted formats a key as in the file.
func dotted(key []string) string {
	var parts []string
	for _, part := range key {
		if part == "" || strings.ContainsFunc(part, notBare) {
			part = prose.Quote(part)
		} else {
			part = prose.Cut(part, prose.MaxQuoted, "...")
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ".")
}

// notBare reports whether a key needs quotes for the character.
func notBare(r rune) bool {
	return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '-' && r != '_'
}
