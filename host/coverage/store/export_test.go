package store

import (
	"bytes"
	"context"
)

// Unpacked is the content of a file.
func Unpacked(file []byte) []byte {
	u := &unpacker{}
	content, err := u.open(kindOf(file), file)
	if err != nil {
		panic(err)
	}
	return bytes.Clone(content)
}

// Packed is a file of the kind of another with this content.
func Packed(like, content []byte) []byte {
	file, err := pack(kindOf(like), content)
	if err != nil {
		panic(err)
	}
	return file
}

func kindOf(file []byte) string { return string(file[:len(suiteKind)]) }

// Damaged reads the suites of a language, each of which is found to be damaged after
// meanwhile was called.
func (s *Store) Damaged(ctx context.Context, language string, meanwhile func()) error {
	return s.each(ctx, language, func(string) error {
		meanwhile()
		return errDamaged
	})
}
