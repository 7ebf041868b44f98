package lock

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"github.com/proctorhq/proctor/host/plugin/manifest/document"
)

// raw is an object with its members as written.
type raw = map[string]json.RawMessage

// The known fields of the file, of an entry and of hashes.
func (File) known() []string { return []string{"schema", "comment", "plugins"} }
func (Entry) known() []string {
	return []string{"version", "constraint", "source", "signer", "module_sum", "hashes"}
}
func (Hashes) known() []string { return []string{"archive", "bin"} }

// mergeFile returns the content of a lock file, including the unknown fields of the old
// content, which is nil or parses.
func mergeFile(path string, old []byte, f File) ([]byte, error) {
	if fault := f.fault(); fault != nil {
		return nil, &Error{Path: path, Err: fault, Reason: "it was not written, because it would be invalid: " + fault.Field + " " + fault.Reason}
	}
	var was File
	if old != nil {
		var err error
		if was, err = parse(path, old); err != nil {
			return nil, err
		}
	}
	top := readMembers(old)
	oldEntries := readMembers(top["plugins"])
	entries := map[string]any{}
	for name, entry := range f.Plugins {
		entries[name] = entry
		unknown := unknownOf(oldEntries[name])
		if unknown == "" {
			continue
		}
		if !entry.equal(was.Plugins[name]) {
			field := document.Path("plugins", name) + "." + unknown
			return nil, &Error{
				Path:   path,
				Reason: field + " is of a later proctor, and this one cannot keep it true: upgrade proctor, or run `proctor plugin remove " + name + "` first",
			}
		}
		entries[name] = oldEntries[name]
	}
	values := []any{f.Schema, f.Comment, entries}
	names := f.known()
	for _, name := range slices.Sorted(maps.Keys(top)) {
		if !slices.Contains(f.known(), name) {
			names, values = append(names, name), append(values, top[name])
		}
	}
	return document.Write(object{names, values}), nil
}

// object is an object whose members are written in order.
type object struct {
	names  []string
	values []any
}

// MarshalJSON implements json.Marshaler.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for i, name := range o.names {
		b.WriteByte("{,"[min(i, 1)])
		b.Write(document.Write(name))
		b.WriteByte(':')
		b.Write(document.Write(o.values[i]))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// unknownOf returns an unknown field of an entry as written, or nothing.
func unknownOf(entry json.RawMessage) string {
	fields := readMembers(entry)
	if name := findUnknown(fields, Entry{}.known()); name != "" {
		return document.Path(name)
	}
	hashes := readMembers(fields["hashes"])
	for _, platform := range slices.Sorted(maps.Keys(hashes)) {
		if name := findUnknown(readMembers(hashes[platform]), Hashes{}.known()); name != "" {
			return document.Path("hashes", platform, name)
		}
	}
	return ""
}

// findUnknown returns the first unknown name, or nothing.
func findUnknown(fields raw, known []string) string {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains(known, name) {
			return name
		}
	}
	return ""
}

// readMembers splits an object that was parsed before. Anything else has none.
func readMembers(object []byte) raw {
	var m raw
	if err := json.Unmarshal(object, &m); err != nil {
		return nil
	}
	return m
}

// equal reports whether two entries mean the same.
func (e Entry) equal(other Entry) bool {
	if len(e.Hashes) == 0 && len(other.Hashes) == 0 {
		e.Hashes, other.Hashes = nil, nil
	}
	return reflect.DeepEqual(e, other)
}
