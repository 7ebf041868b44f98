package config

import (
	"bytes"
	"errors"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/proctorhq/proctor/host/prose"
)

// decode parses a file into a configuration. It returns the error that occurs first in
// the file.
func decode(config *Config, of kind, file string, data []byte) error {
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // some editors write it
	if at := prose.InvalidAt(data); at >= 0 {
		return &Error{Line: lineAt(data, at), Reason: "the text is not valid UTF-8", Fix: "save it as UTF-8"}
	}
	var document map[string]any
	if err := toml.Unmarshal(data, &document); err != nil {
		return invalid(err)
	}
	r := &reader{data: data, offsets: keyOffsets(data), of: of, file: file}
	r.document(config, document)
	if r.first != nil {
		return r.first
	}
	return nil
}

// invalid explains the decoder's error for a text that is not TOML.
func invalid(err error) *Error {
	e := &Error{Reason: "the text is not valid TOML: " + plain(strings.TrimPrefix(err.Error(), "toml: ")), Err: err}
	if at, ok := errors.AsType[*toml.DecodeError](err); ok {
		e.Line, _ = at.Position()
	}
	return e
}

func lineAt(data []byte, offset int) int { return bytes.Count(data[:offset], []byte{'\n'}) + 1 }
