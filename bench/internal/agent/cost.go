package agent

import (
	"fmt"
	"io"
	"unicode/utf8"
)

// charsPerToken is the usual rule of thumb for English text and code. Tokenizers differ, and
// most split JSON and paths into smaller pieces, but the figures compare texts of much the
// same kind.
const charsPerToken = 4

// Cost is what a model had to read.
type Cost struct {
	Texts, Bytes, Chars int
}

// Tokens estimates the tokens: a quarter of the characters.
func (c Cost) Tokens() int { return (c.Chars + charsPerToken - 1) / charsPerToken }

// Plus returns the sum of both.
func (c Cost) Plus(o Cost) Cost {
	return Cost{Texts: c.Texts + o.Texts, Bytes: c.Bytes + o.Bytes, Chars: c.Chars + o.Chars}
}

func costOf(text string) Cost {
	return Cost{Texts: 1, Bytes: len(text), Chars: utf8.RuneCountInString(text)}
}

// reader counts and keeps what is read.
type reader struct {
	kept io.Writer
	cost Cost
}

// read records the result of an action.
func (r *reader) read(action, text string) error {
	r.cost = r.cost.Plus(costOf(text))
	_, err := fmt.Fprintf(r.kept, "=== %s: %d bytes\n%s\n", action, len(text), text)
	return err
}
