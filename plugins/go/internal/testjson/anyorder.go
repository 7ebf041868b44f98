package testjson

import "encoding/json"

// looseEvent is what encoding/json decodes from a line that the fast path rejected.
type looseEvent struct {
	Action      string
	Package     string
	Test        string
	Elapsed     float64
	Output      json.RawMessage
	OutputType  string
	FailedBuild string
	ImportPath  string
	Key         string
	Value       string
	Path        string
}

func scanAny(line []byte, ev *Event) bool {
	*ev = Event{}
	var loose looseEvent
	if json.Unmarshal(line, &loose) != nil {
		return false
	}
	output, ok := insideQuotes(loose.Output)
	if !ok {
		return false
	}
	*ev = Event{
		Action:      actionOf([]byte(loose.Action)),
		Package:     []byte(loose.Package),
		Test:        []byte(loose.Test),
		Elapsed:     loose.Elapsed,
		Output:      output,
		OutputType:  outputTypeOf([]byte(loose.OutputType)),
		FailedBuild: []byte(loose.FailedBuild),
		ImportPath:  []byte(loose.ImportPath),
		Key:         []byte(loose.Key),
		Value:       []byte(loose.Value),
		Path:        []byte(loose.Path),
	}
	return ev.Action != ActionNone
}

// insideQuotes returns the still escaped text of a JSON string. A missing value and
// null yield the empty text.
func insideQuotes(raw json.RawMessage) ([]byte, bool) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, true
	}
	if len(raw) < 2 || raw[0] != '"' {
		return nil, false
	}
	return raw[1 : len(raw)-1], true
}
