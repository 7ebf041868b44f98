package config

import (
	"fmt"
	"strings"
	"unicode"
)

// Error says what is wrong in the file. Its texts hold no control characters.
type Error struct {
	// File is the path of the file.
	File string
	// Line counts from 1; 0 is the file as a whole.
	Line int
	// Key is the dotted key, such as "history.runs"; empty where no key is to
	// blame.
	Key string
	// Reason says what is wrong, Fix what is allowed or probably meant.
	Reason, Fix string
	// Err is why the file could not be read, if that is what is wrong.
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

// maxText bounds a text that is taken from the file into a message.
const maxText = 200

// plain makes a text fit for a terminal.
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
