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
		Warp: plain(c.Warp), Roll: plain(c.Roll), Value: plain(c.Value),
		Sender: plain(c.Sender), Address: plain(c.Addr), Calldata: plain(c.Calldata),
		Contract: plain(c.ContractName), Function: plain(c.FuncName), Signature: plain(c.Signature),
		Args: plain(c.Args),
	}
}

// plain renders a value as a person would write it: strings without quotes, list
// elements separated by commas, and nothing for null.
func plain(raw json.RawMessage) string {
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	switch raw[0] {
	case '"':
		return text(raw)
	case '[':
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) == nil {
			words := make([]string, len(list))
			for i, e := range list {
				words[i] = plain(e)
			}
			return strings.Join(words, ", ")
		}
	}
	return string(raw)
}

// calls parses {"Single":call}, {"Sequence":[length,[call,...]]}, and
// {"Sequence":[call,...]} of older versions.
func calls(raw []byte) (list []Call, sequence bool) {
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

// broken parses the list of invariants that a campaign broke.
func broken(raw []byte) (all []Broken) {
	var parts []struct{ Name, Reason, Counterexample json.RawMessage }
	if json.Unmarshal(raw, &parts) != nil {
		return nil
	}
	for _, part := range parts {
		b := Broken{Name: plain(part.Name), Reason: plain(part.Reason)}
		b.Calls, _ = calls(part.Counterexample)
		all = append(all, b)
	}
	return all
}
