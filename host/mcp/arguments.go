package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/prose"
)

// argumentError says what is wrong with the arguments of a call. A model reads it
// and tries again.
type argumentError struct{ reason string }

func (e *argumentError) Error() string { return e.reason }

// number is a number as models send it: whole or not, of any size. It is clamped
// by whoever uses it, never refused.
type number float64

// count is the number as a count, rounded down.
func (n number) count() int {
	return int(max(min(float64(n), math.MaxInt32), math.MinInt32))
}

// seconds is the number as a time.
func (n number) seconds() time.Duration {
	const most = 1 << 31
	return time.Duration(max(min(float64(n), most), -most) * float64(time.Second))
}

// arguments checks the arguments of a call against the tool's parameters and
// returns them in the types that these have. What can only have been meant in one
// way is taken so: models send "300" for 300, one string for a list of one, and
// null for nothing, or an empty string where that is no value.
func (t tool) arguments(raw json.RawMessage) (json.RawMessage, error) {
	given := map[string]any{}
	if raw = bytes.TrimSpace(raw); len(raw) > 0 && !bytes.Equal(raw, []byte("null")) {
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.UseNumber() // there are numbers that no float64 holds
		if dec.Decode(&given) != nil {
			return nil, &argumentError{fmt.Sprintf(`%s: the arguments are %s, not a JSON object; give {"NAME":VALUE}, with the names %s`, t.name, kindOfText(raw), t.expected())}
		}
		if dec.More() {
			return nil, &argumentError{t.name + ": the arguments go on after their JSON object"}
		}
	}
	var unknown []string
	taken := map[string]any{}
	for name, value := range given {
		i := slices.IndexFunc(t.params, func(p param) bool { return p.name == name })
		if i < 0 {
			unknown = append(unknown, name)
			continue
		}
		if value == nil || t.params[i].isBlank(value) {
			continue
		}
		v, err := t.params[i].coerce(value)
		if err != nil {
			return nil, &argumentError{fmt.Sprintf("%s: %s %v", t.name, name, err)}
		}
		taken[name] = v
	}
	if len(unknown) > 0 {
		return nil, &argumentError{fmt.Sprintf("unknown argument(s) for %s: %s. Expected: %s. Remove and retry.", t.name, listed(unknown), t.expected())}
	}
	for _, p := range t.params {
		if _, ok := taken[p.name]; p.required && !ok {
			return nil, &argumentError{fmt.Sprintf("%s: %s is missing. Expected: %s.", t.name, p.name, t.expected())}
		}
	}
	return json.Marshal(taken)
}

// listed names the first of some names that came from outside.
func listed(names []string) string {
	const most = 20
	slices.Sort(names)
	var shown []string
	for _, name := range names[:min(len(names), most)] {
		shown = append(shown, short(name))
	}
	text := strings.Join(shown, ", ")
	if left := len(names) - len(shown); left > 0 {
		text += fmt.Sprintf(" and %d more", left)
	}
	return text
}

// expected lists the parameters.
func (t tool) expected() string {
	if len(t.params) == 0 {
		return "no arguments"
	}
	var names []string
	for _, p := range t.params {
		names = append(names, p.name)
	}
	return strings.Join(names, ", ")
}

// isBlank reports whether a value is an empty string that cannot be meant: there are
// models that fill in everything.
func (p param) isBlank(value any) bool {
	text, ok := value.(string)
	return ok && strings.TrimSpace(text) == "" && !p.required && (p.kind != "string" || len(p.enum) > 0)
}

// coerce returns a value in the parameter's type.
func (p param) coerce(value any) (any, error) {
	switch p.kind {
	case "number":
		return asNumber(value)
	case "boolean":
		return asBoolean(value)
	case "array":
		return asList(value)
	case "object":
		return asObject(value)
	}
	text, err := asString(value)
	if err != nil || len(p.enum) == 0 || slices.Contains(p.enum, text) {
		return text, err
	}
	return nil, fmt.Errorf("must be one of %s, not %q", strings.Join(p.enum, ", "), short(text))
}

func asString(value any) (string, error) {
	switch v := value.(type) {
	case string:
		return v, nil
	case json.Number:
		return v.String(), nil
	}
	return "", fmt.Errorf("must be a string, not %s", kindOf(value))
}

func asNumber(value any) (float64, error) {
	var text string
	switch v := value.(type) {
	case json.Number:
		text = v.String()
	case string:
		text = strings.TrimSpace(v)
	default:
		return 0, fmt.Errorf("must be a number, not %s", kindOf(value))
	}
	n, err := strconv.ParseFloat(text, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return max(min(n, math.MaxFloat64), -math.MaxFloat64), nil // it is clamped anyhow
	case err != nil || math.IsNaN(n) || math.IsInf(n, 0):
		return 0, fmt.Errorf("must be a number, not %q", short(text))
	}
	return n, nil
}

func asBoolean(value any) (bool, error) {
	switch v := value.(type) {
	case bool:
		return v, nil
	case string:
		switch strings.ToLower(strings.TrimSpace(v)) {
		case "true":
			return true, nil
		case "false":
			return false, nil
		}
		return false, fmt.Errorf("must be true or false, not %q", short(v))
	}
	return false, fmt.Errorf("must be true or false, not %s", kindOf(value))
}

func asList(value any) ([]string, error) {
	if text, ok := value.(string); ok {
		list, isList := unquoted(text).([]any)
		if !isList {
			return []string{text}, nil
		}
		value = list
	}
	list, ok := value.([]any)
	if !ok {
		return nil, fmt.Errorf("must be a list of strings, not %s", kindOf(value))
	}
	texts := []string{}
	for _, one := range list {
		text, err := asString(one)
		if err != nil {
			return nil, fmt.Errorf("must be a list of strings; it has %s in it", kindOf(one))
		}
		texts = append(texts, text)
	}
	return texts, nil
}

func asObject(value any) (map[string]string, error) {
	if text, ok := value.(string); ok {
		value = unquoted(text)
	}
	object, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("must be an object of strings, not %s", kindOf(value))
	}
	texts := map[string]string{}
	for key, one := range object {
		text, ok := one.(string)
		if !ok {
			return nil, fmt.Errorf("must be an object of strings; %q is %s", short(key), kindOf(one))
		}
		texts[key] = text
	}
	return texts, nil
}

// unquoted is the JSON value that a text holds; the text itself where it holds none.
func unquoted(text string) any {
	var value any
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	if dec.Decode(&value) != nil || dec.More() {
		return text
	}
	return value
}

// kindOfText is kindOf of what a text holds.
func kindOfText(raw []byte) string {
	if value := unquoted(string(raw)); value != string(raw) {
		return kindOf(value)
	}
	return "text that is no JSON"
}

// kindOf names the JSON type of a value.
func kindOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case json.Number, float64:
		return "a number"
	case string:
		return "a string"
	case []any:
		return "a list"
	}
	return "an object"
}

// short is the beginning of a text that an error repeats, on one line.
func short(text string) string {
	const most = 80
	text, cut := upToRune(text, 4*most), len(text) > 4*most
	if runes := []rune(prose.Line(text)); len(runes) > most {
		text, cut = string(runes[:most]), true
	} else {
		text = string(runes)
	}
	if cut {
		text += "…"
	}
	return text
}
