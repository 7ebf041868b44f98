package testjson

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// isCaptured reports whether the field of a test is read.
func isCaptured(key string) bool {
	switch key {
	case "status", "success", "reason", "counterexample", "kind", "duration", "gas_snapshots", "invariant_failures":
		return true
	}
	return false
}

// decodeField decodes the value of the current key. It ignores a value with the shape of no
// known version, except that this never improves a status.
func (s *scanner) decodeField(raw []byte) {
	if s.level == inSuite {
		switch s.keyText {
		case "duration":
			s.suite.Elapsed = decodeDuration(raw)
		case "warnings":
			_ = json.Unmarshal(raw, &s.suite.Warnings)
		}
		return
	}
	t := &s.test
	if empty := string(raw); empty == "null" || empty == "{}" || empty == "[]" {
		if s.keyText != "status" && s.keyText != "success" {
			return
		}
	}
	switch s.keyText {
	case "status", "success":
		s.decodeStatus(raw)
	case "reason":
		t.Reason, t.HasReason = decodeString(raw), len(raw) > 0 && raw[0] == '"'
	case "duration":
		t.Elapsed = decodeDuration(raw)
	case "counterexample":
		t.Counterexample, t.Sequence = parseCalls(raw)
	case "kind":
		t.Kind = decodeKind(raw)
	case "gas_snapshots":
		t.Snapshots = decodeSnapshots(raw)
	case "invariant_failures":
		t.Broken = parseBroken(raw)
	}
}

// decodeStatus decodes "status", or "success" of old versions.
func (s *scanner) decodeStatus(raw []byte) {
	status := Status(0)
	word := string(raw)
	if raw[0] == '"' {
		word = decodeString(raw)
	}
	switch word {
	case "Success", "true":
		status = Success
	case "Failure", "false":
		status = Failure
	case "Skipped":
		status = Skipped
	}
	if status == 0 {
		s.test.Said = strings.ToValidUTF8(string(raw[:min(len(raw), maxSaid)]), "\uFFFD")
	}
	if !s.ended || status.Worse(s.test.Status) {
		s.test.Status = status
	}
	s.ended = true
	s.failure = s.failure || status == Failure
}

// maxSaid is longer than any status.
const maxSaid = 64

// decodeString decodes a JSON string; it returns "" for anything else.
func decodeString(raw []byte) string {
	var s string
	if len(raw) < 2 || raw[0] != '"' {
		return ""
	}
	if bytes.IndexByte(raw, '\\') < 0 || json.Unmarshal(raw, &s) != nil {
		// Nothing to unescape, or an invalid escape: keep the text as it is.
		return strings.ToValidUTF8(string(raw[1:len(raw)-1]), "\uFFFD")
	}
	return s
}

// decodeSnapshots decodes {"group":{"name":"123"}}.
func decodeSnapshots(raw []byte) (all []Snapshot) {
	var groups map[string]map[string]json.RawMessage
	if json.Unmarshal(raw, &groups) != nil {
		return nil
	}
	for _, group := range slices.Sorted(maps.Keys(groups)) {
		for _, name := range slices.Sorted(maps.Keys(groups[group])) {
			if value := parseWhole(groups[group][name]); value != "" {
				all = append(all, Snapshot{Group: group, Name: name, Value: value})
			}
		}
	}
	return all
}

// size estimates the memory that a test takes.
func (t *Test) size() int {
	n := 512 + len(t.Name) + len(t.Reason) + len(t.Logs.Head) + len(t.Logs.Tail) + 128*(len(t.Snapshots)+len(t.Kind.Metrics))
	n += sizeOf(t.Counterexample)
	for _, b := range t.Broken {
		n += 64 + len(b.Name) + len(b.Reason) + sizeOf(b.Calls)
	}
	return n
}

func sizeOf(calls []Call) int {
	n := 0
	for _, c := range calls {
		n += 256 + len(c.Calldata) + len(c.Args) + len(c.Signature)
	}
	return n
}

// shrink keeps only the name, the result and the beginning of the reason, and notes
// what it dropped.
func (t *Test) shrink() {
	const most = 1 << 10
	reason := t.Reason
	if len(reason) > most {
		reason = reason[:wholeRunes([]byte(reason), most)] + sdk.TruncationMark
	}
	k := t.Kind
	k.Metrics = nil
	*t = Test{
		Name: t.Name, Status: t.Status, Elapsed: t.Elapsed, Kind: k, HasReason: t.HasReason, Reason: reason,
		Logs: Logs{Omitted: int64(len(t.Logs.Head)+len(t.Logs.Tail)) + t.Logs.Omitted},
	}
}
