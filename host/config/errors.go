package config

import (
	"fmt"
	"strings"
	"unicode"
)

// Error describes a problem in the file. Its texts hold no control characters.
type Error struct {
	// File is the path of the file.
	File string
	// Line counts from 1; 0 means the whole file.
	Line int
	// Key is the dotted key, such as "history.runs"; empty if the problem is not with a
	// key.
	Key string
	// Reason says what is wrong, Fix what is allowed or probably meant.
	Reason, Fix string
	// Err is why the file could not be read, if it could not.
	Err error
}

func (e *Error) Error() string {
	var text strings.Builder
	text.WriteString(plain(e.File))
	if e.Line > 0 {
		fmt.Fprintf(&text, ":%d", e.Line)
	}
	text.WriteString(": ")
	if e.Key != "" {
		text.WriteString(e.Key + " ")
	}
	text.WriteString(e.Reason)
	if e.Fix != "" {
		text.WriteString("; " + e.Fix)
	}
	return text.String()
}

func (e *Error) Unwrap() error { return e.Err }

// maxText bounds text from the file in a message.
const maxText = 200

// plain makes text safe for a terminal.
func plain(text string) string {
	n := 0
	return strings.Map(func(r rune) rune {
		if n++; n > maxText {
			return -1
		}
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}
