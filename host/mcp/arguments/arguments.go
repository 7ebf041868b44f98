package arguments

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
)

// mostUnknown is how many unknown arguments an error names.
const mostUnknown = 20

// Error says what is wrong with the arguments of a call. A model reads it and tries
// again.
type Error struct{ Reason string }

func (e *Error) Error() string { return e.Reason }

// Take validates the arguments of a tool call, and stores them where its parameters
// have their values. A missing argument gets its default.
func Take(tool string, params []api.Param, raw json.RawMessage) error {
	given, err := read(tool, params, raw)
	if err != nil {
		return err
	}
	for _, p := range params {
		if value, ok := given[p.Tool]; ok {
			put(p, value)
		} else if standard := defaultOf(p); standard != nil {
			field := reflect.ValueOf(p.Value).Elem()
			field.Set(reflect.ValueOf(standard).Convert(field.Type()))
		}
	}
	return nil
}

// defaultOf returns the value of a parameter that is not given, or nil.
func defaultOf(p api.Param) any {
	if p.Tool == "" || p.ToolDefault != nil {
		return p.ToolDefault
	}
	return p.Default
}

// read validates the arguments of a call against the parameters, and returns them in
// the parameters' types. It accepts whatever has only one plausible meaning: models
// send "300" for 300, one string for a list of one, and null or, where it is not a
// value, an empty string for nothing.
func read(tool string, params []api.Param, raw json.RawMessage) (map[string]any, error) {
	given := map[string]any{}
	if raw = bytes.TrimSpace(raw); len(raw) > 0 && !bytes.Equal(raw, []byte("null")) {
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.UseNumber() // some numbers do not fit a float64
		if dec.Decode(&given) != nil {
			return nil, &Error{Reason: fmt.Sprintf(`%s: the arguments are %s, not a JSON object; give {"NAME":VALUE}, with the names %s`, tool, kindOfText(raw), expected(params))}
		}
		if dec.More() {
			return nil, &Error{Reason: tool + ": there is more after the JSON object of the arguments"}
		}
	}
	var unknown []string
	taken := map[string]any{}
	for name, value := range given {
		i := slices.IndexFunc(params, func(p api.Param) bool { return p.Tool == name && name != "" })
		if i < 0 {
			unknown = append(unknown, name)
			continue
		}
		if isAbsent(params[i], value) {
			continue
		}
		v, err := coerce(params[i], value)
		if err != nil {
			return nil, &Error{Reason: fmt.Sprintf("%s: %s %v", tool, name, err)}
		}
		taken[name] = v
	}
	if len(unknown) > 0 {
		slices.Sort(unknown)
		return nil, &Error{Reason: fmt.Sprintf("unknown argument(s) for %s: %s. Expected: %s. Remove and retry.", tool, prose.Listed(unknown, len(unknown), mostUnknown, Short), expected(params))}
	}
	for _, p := range params {
		if _, ok := taken[p.Tool]; p.Required && !ok {
			return nil, &Error{Reason: fmt.Sprintf("%s: %s is missing. Expected: %s.", tool, p.Tool, expected(params))}
		}
	}
	return taken, nil
}

// Schema returns the JSON Schema of the parameters. It uses only what every client's
// dialect accepts: one type for each, and no references. Numbers beyond the bounds are
// clamped all the same, never rejected, and an argument that it does not name is an error
// that names those there are, which a schema cannot say.
func Schema(params []api.Param) json.RawMessage {
	type property struct {
		Type        string            `json:"type"`
		Description string            `json:"description,omitempty"`
		Default     any               `json:"default,omitempty"`
		Minimum     int               `json:"minimum,omitempty"`
		Maximum     int               `json:"maximum,omitempty"`
		Enum        []string          `json:"enum,omitempty"`
		Items       map[string]string `json:"items,omitempty"`
		Values      map[string]string `json:"additionalProperties,omitempty"`
	}
	schema := struct {
		Type       string              `json:"type"`
		Properties map[string]property `json:"properties"`
		Required   []string            `json:"required,omitempty"`
	}{Type: "object", Properties: map[string]property{}}
	for _, p := range params {
		if p.Tool == "" {
			continue
		}
		one := property{Type: TypeOf(p), Description: p.ToolHelp(), Default: defaultOf(p), Enum: p.Words}
		if d, ok := one.Default.(time.Duration); ok {
			one.Default = int(d.Seconds())
		}
		if one.Type == numberType {
			one.Minimum, one.Maximum = p.Min, p.MostOfTool()
		}
		if p.Same {
			one.Default, one.Maximum, one.Enum = nil, 0, nil
		}
		switch one.Type {
		case arrayType:
			one.Items = map[string]string{"type": stringType}
		case objectType:
			one.Values = map[string]string{"type": stringType}
		}
		schema.Properties[p.Tool] = one
		if p.Required {
			schema.Required = append(schema.Required, p.Tool)
		}
	}
	raw, err := json.Marshal(schema)
	if err != nil {
		panic(err) // it consists of strings
	}
	return raw
}

// Without returns parameters without those of a language, and without a word that only that
// language has.
func Without(params []api.Param, language, word string) []api.Param {
	params = slices.DeleteFunc(slices.Clone(params), func(p api.Param) bool { return p.Language == language })
	for i, p := range params {
		params[i].Words = slices.DeleteFunc(slices.Clone(p.Words), func(w string) bool { return w == word })
	}
	return params
}

// Reword replaces the description of one argument.
func Reword(params []api.Param, argument, text string) []api.Param {
	for i := range params {
		if params[i].Tool == argument {
			params[i].Agent = text
		}
	}
	return params
}

// expected lists the parameters.
func expected(params []api.Param) string {
	var names []string
	for _, p := range params {
		if p.Tool != "" {
			names = append(names, p.Tool)
		}
	}
	if len(names) == 0 {
		return "no arguments"
	}
	return strings.Join(names, ", ")
}

// The JSON Schema types of parameters. Arrays and objects contain strings.
const (
	stringType  = "string"
	numberType  = "number"
	booleanType = "boolean"
	arrayType   = "array"
	objectType  = "object"
)

// TypeOf returns the type of a parameter in JSON Schema.
func TypeOf(p api.Param) string {
	switch p.Value.(type) {
	case *[]string:
		if p.Single {
			return stringType
		}
		return arrayType
	case *map[string]string:
		return objectType
	case *bool, **bool:
		return booleanType
	case *int, **int, *int64, *time.Duration, **time.Duration:
		return numberType
	}
	return stringType
}

// isBlank reports whether a value is an empty string that cannot be intended: some
// models fill in everything.
func isBlank(p api.Param, value any) bool {
	text, ok := value.(string)
	return ok && strings.TrimSpace(text) == "" && !p.Required && (TypeOf(p) != stringType || len(p.Words) > 0)
}

// isAbsent reports whether a value is as good as none.
func isAbsent(p api.Param, value any) bool { return value == nil || isBlank(p, value) }

// Gives reports whether the arguments of a call have a value for a parameter, valid or not.
func Gives(p api.Param, raw json.RawMessage) bool {
	var given map[string]any
	return json.Unmarshal(raw, &given) == nil && !isAbsent(p, given[p.Tool])
}

// coerce returns a value in the parameter's type.
func coerce(p api.Param, value any) (any, error) {
	switch TypeOf(p) {
	case numberType:
		return asNumber(value)
	case booleanType:
		return asBoolean(value)
	case arrayType:
		return asList(value)
	case objectType:
		return asObject(value)
	}
	text, err := asString(value)
	if err != nil || len(p.Words) == 0 || slices.Contains(p.Words, text) {
		return text, err
	}
	return nil, fmt.Errorf("must be one of %s, not %q", strings.Join(p.Words, ", "), Short(text))
}

// put stores a value of the parameter's type. It clamps numbers rather than rejecting
// them.
func put(p api.Param, value any) {
	switch v := p.Value.(type) {
	case *[]string:
		if text, ok := value.(string); !ok {
			*v = value.([]string)
		} else if text != "" {
			*v = []string{text}
		}
	case *map[string]string:
		*v = value.(map[string]string)
	case *bool:
		*v = value.(bool)
	case **bool:
		b := value.(bool)
		*v = &b
	case *int:
		*v = count(atMost(p, value))
	case **int:
		n := max(count(atMost(p, value)), 0)
		*v = &n
	case *int64:
		*v = place(atMost(p, value))
	case *time.Duration:
		*v = seconds(atMost(p, value))
	case **time.Duration:
		d := seconds(atMost(p, value))
		*v = &d
	default:
		reflect.ValueOf(p.Value).Elem().SetString(value.(string))
	}
}

func atMost(p api.Param, value any) float64 {
	n := value.(float64)
	if most := p.MostOfTool(); most > 0 {
		n = min(n, float64(most))
	}
	return n
}

// count converts a number to a count, rounded down.
func count(n float64) int { return int(max(min(n, math.MaxInt32), math.MinInt32)) }

// place converts a number to a place in a file.
func place(n float64) int64 {
	const most = 1 << 53
	return int64(max(min(n, most), -most))
}

// seconds converts a number to a duration.
func seconds(n float64) time.Duration {
	const most = 1 << 31
	return time.Duration(max(min(n, most), -most) * float64(time.Second))
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
	case errors.Is(err, strconv.ErrRange), err == nil && math.IsInf(n, 0):
		return max(min(n, math.MaxFloat64), -math.MaxFloat64), nil // it is clamped anyway
	case err != nil || math.IsNaN(n):
		return 0, fmt.Errorf("must be a number, not %q", Short(text))
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
		return false, fmt.Errorf("must be true or false, not %q", Short(v))
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
			return nil, fmt.Errorf("must be an object of strings; %q is %s", Short(key), kindOf(one))
		}
		texts[key] = text
	}
	return texts, nil
}

// unquoted returns the JSON value in a text, or the text itself if there is none.
func unquoted(text string) any {
	var value any
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	if dec.Decode(&value) != nil || dec.More() {
		return text
	}
	return value
}

// kindOfText is kindOf for the value in a text.
func kindOfText(raw []byte) string {
	if value := unquoted(string(raw)); value != string(raw) {
		return kindOf(value)
	}
	return "text that is not JSON"
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

// Short returns the beginning of a text that an error repeats, on one line.
func Short(text string) string {
	const most = 80
	cut := len(text) > 4*most
	text = strings.ToValidUTF8(text[:min(len(text), 4*most)], "")
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
