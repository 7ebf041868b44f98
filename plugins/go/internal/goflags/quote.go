package goflags

import (
	"fmt"
	"strings"
)

const space = " \t\r\n"

// Split parses a list of words as in GOFLAGS and -exec: separated by white space, with
// single or double quotes around a whole word.
func Split(text string) ([]string, error) {
	var words []string
	for {
		text = strings.TrimLeft(text, space)
		if text == "" {
			return words, nil
		}
		if quote := text[0]; quote == '"' || quote == '\'' {
			word, rest, found := strings.Cut(text[1:], string(quote))
			if !found {
				return nil, fmt.Errorf("unterminated %c string", quote)
			}
			words, text = append(words, word), rest
			continue
		}
		end := strings.IndexAny(text, space)
		if end < 0 {
			end = len(text)
		}
		words, text = append(words, text[:end]), text[end:]
	}
}

// Quote quotes a word so that [Split] reads it back. It fails for a word that cannot be
// quoted.
func Quote(word string) (string, bool) {
	switch {
	case word != "" && !strings.ContainsAny(word, space) && word[0] != '"' && word[0] != '\'':
		return word, true
	case !strings.Contains(word, "'"):
		return "'" + word + "'", true
	case !strings.Contains(word, `"`):
		return `"` + word + `"`, true
	}
	return "", false
}
