package store

import (
	"bytes"
	"context"
)

// Unpacked returns the content of a file.
func Unpacked(file []byte) []byte {
	u := &unpacker{}
	content, err := u.open(kindOf(file), file)
	if err != nil {
		panic(err)
	}
	return bytes.Clone(content)
}

// Packed packs content into a file of the same kind as like.
func Packed(like, content []byte) []byte {
	file, err := pack(kindOf(like), content)
	if err != nil {
		panic(err)
	}
	return file
}

func kindOf(file []byte) string { return string(file[:len(suiteKind)]) }

// Damaged reads the suites of a language and finds each damaged, after calling
// meanwhile.
func (s *Store) Damaged(ctx context.Context, language string, meanwhile func()) error {
	return s.forEachSuite(ctx, language, func(string) error {
		meanwhile()
		return errDamaged
	})
}
