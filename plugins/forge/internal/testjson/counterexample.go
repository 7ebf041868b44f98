package testjson

import (
	"encoding/json"
	"strings"
)

// call is a call in the format of any version.
type call struct {
	Warp, Roll, Value      json.RawMessage
	Sender, Addr, Calldata json.RawMessage
	ContractName           json.RawMessage `json:"contract_name"`
	FuncName               json.RawMessage `json:"func_name"`
	Signature, Args        json.RawMessage
}

func (c call) read() Call {
	return Call{
		Warp: renderValue(c.Warp), Roll: renderValue(c.Roll), Value: renderValue(c.Value),
		Sender: renderValue(c.Sender), Address: renderValue(c.Addr), Calldata: renderValue(c.Calldata),
		Contract: renderValue(c.ContractName), Function: renderValue(c.FuncName), Signature: renderValue(c.Signature),
		Args: renderValue(c.Args),
	}
}

// renderValue renders a value as a person would write it: strings without quotes, list
// elements separated by commas, and nothing for null.
func renderValue(raw json.RawMessage) string {
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	switch raw[0] {
	case '"':
		return decodeString(raw)
	case '[':
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) == nil {
			words := make([]string, len(list))
			for i, e := range list {
				words[i] = renderValue(e)
			}
			return strings.Join(words, ", ")
		}
	}
	return string(raw)
}

// parseCalls parses {"Single":call}, {"Sequence":[length,[call,...]]}, and
// {"Sequence":[call,...]} of older versions.
func parseCalls(raw []byte) (list []Call, sequence bool) {
	var shape struct {
		Single   *call
		Sequence json.RawMessage
	}
	if json.Unmarshal(raw, &shape) != nil {
		return nil, false
	}
	if shape.Single != nil {
		return []Call{shape.Single.read()}, false
	}
	var parts []json.RawMessage
	if json.Unmarshal(shape.Sequence, &parts) != nil {
		return nil, false
	}
	if len(parts) > 0 && parts[0][0] != '{' {
		parts = parts[1:] // drop the length before shrinking
		if len(parts) == 0 || json.Unmarshal(parts[0], &parts) != nil {
			return nil, true
		}
	}
	for _, part := range parts {
		var c call
		if json.Unmarshal(part, &c) == nil {
			list = append(list, c.read())
		}
	}
	return list, true
}

// parseBroken parses the list of invariants that a campaign broke.
func parseBroken(raw []byte) (all []Broken) {
	var parts []struct{ Name, Reason, Counterexample json.RawMessage }
	if json.Unmarshal(raw, &parts) != nil {
		return nil
	}
	for _, part := range parts {
		b := Broken{Name: renderValue(part.Name), Reason: renderValue(part.Reason)}
		b.Calls, _ = parseCalls(part.Counterexample)
		all = append(all, b)
	}
	return all
}
