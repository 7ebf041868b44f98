package config

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// reader interprets a decoded file.
type reader struct {
	data    []byte
	offsets offsets
	// first is the error that occurs first in the file, at offset where.
	first *Error
	at    int
}

// document reads the whole file.
func (r *reader) document(config *Config, document map[string]any) {
	known := tables()
	for _, name := range slices.Sorted(maps.Keys(document)) {
		at := slices.IndexFunc(known, func(t table) bool { return t.name == name })
		if top := topLevel(); slices.Contains(top.names(), name) {
			r.table(config, top, map[string]any{name: document[name]})
			continue
		}
		if at < 0 {
			r.unknown(known, name)
			continue
		}
		values, isTable := document[name].(map[string]any)
		if !isTable {
			r.blame("is "+found(document[name]), fmt.Sprintf("it must be a table, which begins with [%s]", name), name)
			continue
		}
		r.table(config, known[at], values)
	}
}

func (r *reader) table(config *Config, table table, values map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		at := slices.IndexFunc(table.settings, func(s setting) bool { return s.name == name })
		if at < 0 {
			r.blame("is not known", meant(name, table.names()), table.key(name)...)
			continue
		}
		s := table.settings[at]
		if len(s.choices) > 0 {
			text, _ := values[name].(string)
			if !slices.Contains(s.choices, text) {
				r.blame("is "+found(values[name]), "it must be "+s.allowed(), table.name, name)
				continue
			}
			s.choose(config, text)
			continue
		}
		if s.list != nil {
			names, ok := s.texts(values[name])
			if !ok {
				r.blame("is "+found(values[name]), "it must be "+s.allowed(), table.key(name)...)
				continue
			}
			s.list(config, names)
			continue
		}
		if s.decide != nil {
			yes, isBool := values[name].(bool)
			if !isBool {
				r.blame("is "+found(values[name]), "it must be "+s.allowed(), table.name, name)
				continue
			}
			s.decide(config, yes)
			continue
		}
		n, ok := s.value(values[name])
		if !ok || n < s.least || n > s.most {
			r.blame("is "+found(values[name]), "it must be "+s.allowed(), table.name, name)
			continue
		}
		s.set(config, n)
	}
}

// unknown blames a key outside of the tables that may belong in one.
func (r *reader) unknown(known []table, name string) {
	names := topLevel().names()
	for _, t := range known {
		names = append(names, t.name)
		if slices.Contains(t.names(), name) {
			r.blame("is not known here", fmt.Sprintf("it belongs below [%s]", t.name), name)
			return
		}
	}
	r.blame("is not known", meant(name, names), name)
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

// key returns the path of a setting.
func (t table) key(name string) []string {
	if t.name == "" {
		return []string{name}
	}
	return []string{t.name, name}
}

func (t table) names() []string {
	var names []string
	for _, s := range t.settings {
		names = append(names, s.name)
	}
	return names
}

// value returns a number, or a size with its unit.
func (s setting) value(value any) (n int64, ok bool) {
	if text, isText := value.(string); isText && s.size {
		return parseSize(text)
	}
	n, ok = value.(int64)
	return n, ok
}

// texts returns the elements of a list of texts.
func (s setting) texts(value any) (texts []string, ok bool) {
	list, ok := value.([]any)
	for _, element := range list {
		text, isText := element.(string)
		ok = ok && isText && s.valid.MatchString(text)
		texts = append(texts, text)
	}
	return texts, ok && len(texts) <= maxTexts
}

// maxTexts bounds the length of such a list.
const maxTexts = 100

// allowed describes the valid values.
func (s setting) allowed() string {
	if len(s.choices) > 0 {
		return "one of " + strings.Join(s.choices, ", ") + ", in quotes"
	}
	if s.list != nil {
		return `a list of at most 100 names of variables in quotes, of which each may end in *, such as ["CI_NODE", "FEATURE_*"]`
	}
	if s.decide != nil {
		return "true or false, without quotes"
	}
	if s.size {
		return fmt.Sprintf(`a number of bytes, or one with KB, MB, GB, KiB, MiB or GiB in quotes, such as "500MB": from %s to %s`, sizeText(s.least), sizeText(s.most))
	}
	return fmt.Sprintf("a whole number from %d to %d", s.least, s.most)
}

// found describes a value.
func found(value any) string {
	switch v := value.(type) {
	case string:
		return "the text " + quoted(v)
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
			part = quoted(part)
		} else if len(part) > maxQuoted {
			part = part[:maxQuoted] + "..."
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ".")
}

// notBare reports whether a key needs quotes for the character.
func notBare(r rune) bool {
	return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '-' && r != '_'
}

// maxQuoted bounds a word from the file in a message.
const maxQuoted = 60

// quoted quotes a text so that it cannot control a terminal.
func quoted(text string) string {
	if runes := []rune(text); len(runes) > maxQuoted {
		return strconv.Quote(string(runes[:maxQuoted])) + "..."
	}
	return strconv.Quote(text)
}
