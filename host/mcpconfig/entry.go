package mcpconfig

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/prose"
)

// Config says which entry is wanted.
type Config struct {
	Client string
	// Scope is how far it reaches; empty means the client's default.
	Scope Scope
	// Program is the executable's full path. ByName reports whether its bare name
	// suffices in a terminal.
	Program string
	ByName  bool
	// Command, if set, is named instead, unchanged.
	Command string
	Where   Where
}

// Entry is proctor's entry in the configuration of one client.
type Entry struct {
	// Title is the client's display name.
	Title string
	Scope Scope
	// Path is the file for it; empty if only the client can write it.
	Path string
	// Command is the program that the entry names.
	Command string
	// Machine reports whether Command is valid on this machine only while Path belongs
	// to a project, which others may share.
	Machine bool
	// Add is the client's own command for the same, or nil.
	Add []string
	// Check says how to see that the client reached the server.
	Check string

	client client
	place  place
	base   []string
}

// Plan determines the entry and where it goes. It reads no file, and only checks which
// one exists.
func Plan(c Config) (Entry, error) {
	cl, err := find(c.Client)
	if err != nil {
		return Entry{}, err
	}
	scope := c.Scope
	if scope == "" {
		scope = cl.places[0].scope
	}
	i := slices.IndexFunc(cl.places, func(p place) bool { return p.scope == scope })
	if i < 0 {
		return Entry{}, fmt.Errorf("%s, scope %s: there is none; give project or user", cl.name, scope)
	}
	e := Entry{Title: cl.title, Scope: scope, Command: c.Program, Check: cl.check, client: cl, place: cl.places[i]}
	switch {
	case c.Command != "":
		e.Command = c.Command
	case c.ByName && !cl.editor:
		e.Command = serverName
	}
	if e.place.add != nil {
		e.Add = e.place.add(e.Command, cl)
	}
	if e.place.path == nil {
		return e, nil
	}
	e.Machine = scope == Project && c.Command == "" && e.Command != serverName
	paths := e.place.path(c.Where)
	e.Path = paths[0]
	for _, p := range paths {
		if _, err := os.Lstat(p); err == nil {
			e.Path = p
			break
		} else if !errors.Is(err, fs.ErrNotExist) {
			return Entry{}, &FileError{Path: p, Reason: "it cannot be examined: " + reason(err)}
		}
	}
	e.base = []string{c.Where.Project}
	if scope == User {
		// Dotfiles are often links to elsewhere in the home directory.
		e.base = []string{c.Where.Home, filepath.Dir(e.Path)}
	}
	return e, nil
}

// Snippet returns a whole file with only the entry in it.
func (e Entry) Snippet() string {
	fields := e.client.fields(e.Command)
	if e.client.format == tomlFormat {
		return tomlTable(append(slices.Clone(e.client.container), serverName), fields, "\n")
	}
	style := jsonStyle{unit: "  ", newline: "\n"}
	return "{\n  " + style.member(append(slices.Clone(e.client.container), serverName), fields, "  ") + "\n}\n"
}

// Change is what a write did to a file.
type Change string

// The changes.
const (
	Created   Change = "created"
	Added     Change = "added"
	Updated   Change = "updated"
	Unchanged Change = "unchanged"
)

// Write adds the entry to its file. Everything else stays byte for byte, including keys
// of the entry that are not ours. After an error the file
// is unchanged.
func (e Entry) Write() (Change, error) {
	if e.Path == "" {
		return "", fmt.Errorf("%s, scope %s: %s: %s", e.client.name, e.Scope, e.place.reason, prose.ShellLine(e.Add))
	}
	f, err := openFile(e.Path, e.base, e.Scope == User)
	if err != nil {
		return "", err
	}
	if isBlank(f.data) {
		if err := f.replace([]byte(e.Snippet())); err != nil {
			return "", err
		}
		return Created, nil
	}
	data, change, err := e.edit(f.data)
	if err != nil {
		return "", f.failure(err)
	}
	if change == Unchanged {
		return Unchanged, nil
	}
	if err := f.replace(data); err != nil {
		return "", err
	}
	return change, nil
}

// edit returns the text of a file with the entry in it.
func (e Entry) edit(data []byte) ([]byte, Change, error) {
	decode, set := decodeJSON, setJSON
	if e.client.format == tomlFormat {
		decode, set = decodeTOML, setTOML
	}
	before, err := decode(data)
	if err != nil {
		return nil, "", err
	}
	if e.client.foreign != nil {
		if why := e.client.foreign(before); why != "" {
			return nil, "", refuse(0, "%s", why)
		}
	}
	fields := e.client.fields(e.Command)
	path := append(slices.Clone(e.client.container), serverName)
	change := Added
	if old, ok := lookUp(before, path); ok {
		entry, ok := old.(map[string]any)
		if !ok {
			return nil, "", refuse(0, "what it has under %s is not a server", strings.Join(path, "."))
		}
		if key := arrangement(entry); key != "" {
			return nil, "", refuse(0, "its entry %s has a %q, so it was set up differently by you; remove it first", serverName, key)
		}
		change = Updated
		if !slices.ContainsFunc(fields, func(f field) bool { return !isSame(entry[f.key], f.value) }) {
			return data, Unchanged, nil
		}
	}
	after, err := set(data, path, fields)
	if err != nil {
		return nil, "", err
	}
	return after, change, verify(decode, before, after, path, fields)
}
