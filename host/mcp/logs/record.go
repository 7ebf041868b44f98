package logs

//lint:file-ignore SA1019 the protocol deprecates logging in 2026-07-28; clients of older versions have nothing else.

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hashicorp/go-hclog"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/internal/lazyregexp"
)

const (
	// maxText bounds the message of a record and the value of a field, in bytes, and maxKey
	// the name of one.
	maxText, maxKey = 1 << 10, 64
	// maxFields bounds the fields of a record.
	maxFields = 16
	// minSecret is the length from which the value of a variable is taken for a secret:
	// replacing shorter ones would mangle texts.
	minSecret = 6
	hidden    = "[hidden]"
)

// data is a record as a client gets it.
type data struct {
	Message string         `json:"message"`
	Fields  map[string]any `json:"fields,omitempty"`
}

// levelOf returns the protocol's word for a level.
func levelOf(level hclog.Level) mcp.LoggingLevel {
	switch level {
	case hclog.Error:
		return "error"
	case hclog.Warn:
		return "warning"
	case hclog.Info:
		return "info"
	}
	return "debug"
}

// threshold returns the lowest level that a client wants; ok is false for a word that the
// protocol does not have.
func threshold(word mcp.LoggingLevel) (level hclog.Level, ok bool) {
	switch word {
	case "debug":
		return hclog.Trace, true
	case "info":
		return hclog.Info, true
	case "notice", "warning":
		return hclog.Warn, true
	case "error":
		return hclog.Error, true
	case "critical", "alert", "emergency":
		return hclog.Off, true // proctor has no such level
	}
	return hclog.NoLevel, false
}

// censor removes secrets from texts.
type censor struct{ values *strings.Replacer }

// newCensor returns a censor of the secrets in an environment.
func newCensor(environ []string) censor {
	var values []string
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if !secretName.MatchString(name) {
			continue
		}
		// A key of several lines arrives line by line if a program prints it.
		for _, part := range append(strings.Split(value, "\n"), value) {
			if part = prose.Line(strings.TrimSpace(part)); len(part) >= minSecret {
				values = append(values, part)
			}
		}
	}
	// One may begin with another, whose end would remain.
	slices.SortStableFunc(values, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	var pairs []string
	for _, value := range values {
		pairs = append(pairs, value, hidden)
	}
	return censor{strings.NewReplacer(pairs...)}
}

// secretName matches names of what should stay secret.
var secretName = lazyregexp.New(`(?i)token|secret|passw|credential|authorization|cookie|(private|api|access|signing|encryption)[-_. ]?key|mnemonic`)

// record makes the data of a record from what was logged.
func (c censor) record(message string, args []any) data {
	d := data{Message: c.text(message)}
	if len(args)%2 == 1 {
		args = append(args[:len(args)-1:len(args)-1], hclog.MissingKey, args[len(args)-1])
	}
	for i := 0; i < len(args) && len(d.Fields) < maxFields; i += 2 {
		if d.Fields == nil {
			d.Fields = map[string]any{}
		}
		key := cut(fmt.Sprint(args[i]), maxKey)
		if secretName.MatchString(key) {
			d.Fields[key] = hidden
			continue
		}
		d.Fields[key] = c.value(args[i+1])
	}
	return d
}

// value returns a value as JSON shows it: numbers and truths as they are, the rest as text.
func (c censor) value(v any) any {
	switch v := v.(type) {
	case bool, int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64:
		return v
	case float64:
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			return v
		}
	case time.Time:
		return v.Format(time.RFC3339Nano)
	case hclog.Format:
		if form, ok := v[0].(string); ok && len(v) > 1 {
			return c.text(fmt.Sprintf(form, v[1:]...))
		}
	}
	return c.text(fmt.Sprint(v))
}

// text returns a text without secrets, on one line and bounded. A secret with an escape
// sequence in it, or cut, would not be found: so it is cleaned first and cut last.
func (c censor) text(s string) string { return cut(c.values.Replace(prose.Line(s)), maxText) }

// cut returns the beginning of a text on one line, in valid UTF-8.
func cut(s string, most int) string {
	const more = " [...]"
	long := len(s) > 4*most // Line makes four bytes of one at most
	s = prose.Line(s[:min(len(s), 4*most)])
	if len(s) <= most && !long {
		return s
	}
	s = s[:min(len(s), most-len(more))]
	for !utf8.ValidString(s) {
		s = s[:len(s)-1]
	}
	return s + more
}
