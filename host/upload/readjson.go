package upload

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/sdk"
)

// maxJSON bounds a JSON file. Escaping every character makes the 2 MiB of content up to
// six times larger.
const maxJSON = 16 << 20

// readJSON reads an object {"path": "content", ...}, which may be the member "sources" of
// another.
func readJSON(name string) ([]sdk.SourceFile, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxJSON+1))
	if err != nil {
		return nil, err
	}
	if len(raw) > maxJSON {
		return nil, tooLarge()
	}
	if !utf8.Valid(raw) {
		return nil, malformedError("the JSON file is not valid UTF-8")
	}
	return parse(raw)
}

func malformedError(format string, args ...any) error {
	return &refusedError{Rule: fmt.Sprintf(format, args...), Fix: `give an object of texts: {"path": "content"}`}
}

// parse reads the object by hand: a decoder would silently drop one of two members with
// the same name.
func parse(raw []byte) ([]sdk.SourceFile, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if err := expect(dec, json.Delim('{')); err != nil {
		return nil, err
	}
	files, wrapped, err := readMembers(dec, true)
	if err != nil {
		return nil, err
	}
	if wrapped && len(files.own) > 0 {
		return nil, malformedError(`beside "sources" there is %q`, prose.Cut(files.own[0].Path, maxShown, "..."))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, malformedError("the JSON file goes on after its object")
	}
	all := append(files.own, files.inner...)
	slices.SortFunc(all, func(a, b sdk.SourceFile) int { return strings.Compare(a.Path, b.Path) })
	return all, nil
}

// found are the files of an object, and of the object "sources" in it.
type found struct{ own, inner []sdk.SourceFile }

// readMembers reads the members of an object after its opening brace.
func readMembers(dec *json.Decoder, outermost bool) (files found, wrapped bool, err error) {
	for dec.More() {
		name, err := readText(dec)
		if err != nil {
			return files, wrapped, err
		}
		value, err := dec.Token()
		if err != nil {
			return files, wrapped, malformedError("the JSON file cannot be read: %v", err)
		}
		switch value := value.(type) {
		case string:
			files.own = append(files.own, sdk.SourceFile{Path: name, Content: []byte(value)})
			if len(files.own) > maxFiles {
				return files, wrapped, tooMany()
			}
		case json.Delim:
			if !outermost || wrapped || name != "sources" || value != '{' {
				return files, wrapped, malformedError("the content of %q is not text", prose.Cut(name, maxShown, "..."))
			}
			inner, _, err := readMembers(dec, false)
			if err != nil {
				return files, wrapped, err
			}
			files.inner, wrapped = inner.own, true
		default:
			return files, wrapped, malformedError("the content of %q is not text", prose.Cut(name, maxShown, "..."))
		}
	}
	return files, wrapped, expect(dec, json.Delim('}'))
}

func readText(dec *json.Decoder) (string, error) {
	token, err := dec.Token()
	if err != nil {
		return "", malformedError("the JSON file cannot be read: %v", err)
	}
	s, ok := token.(string)
	if !ok {
		return "", malformedError("the JSON file cannot be read: a name is not text")
	}
	return s, nil
}

func expect(dec *json.Decoder, want json.Delim) error {
	token, err := dec.Token()
	if err != nil {
		return malformedError("the JSON file cannot be read: %v", err)
	}
	if token != want {
		return malformedError("the JSON file holds no object")
	}
	return nil
}
