package prose

import (
	"strings"

	"github.com/proctorhq/proctor/internal/lazyregexp"
)

var (
	// suiteWord finds the word in a text, and not in a path.
	suiteWord = lazyregexp.New(`(^|[^-./\w])suite(s?)($|[^-./\w]|\.$|\.\s)`)
	// ourSuiteWord finds it where it is no name: a path, a branch or a package may have the
	// name "suite".
	ourSuiteWord = lazyregexp.New(`((?i)^|\b(?:\d+|an?|the|its|their|this|that|these|which|what|whose|one|each|every|some|any|no|all|other|more|or|and|of|by|per|whole|slower)\s)suite(s?)($|[^-./\w]|\.$|\.\s)`)
)

// InWords returns a text of ours, which has no names of the user's, in the words of a
// language that calls a suite noun; unchanged if that is unknown.
func InWords(text, noun string) string { return rename(suiteWord, text, noun) }

// InWordsButNames is InWords for a sentence with names of the user's, also in backquotes.
func InWordsButNames(sentence, noun string) string {
	parts := strings.Split(sentence, "`")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = rename(ourSuiteWord, parts[i], noun)
	}
	return strings.Join(parts, "`")
}

func rename(word *lazyregexp.Regexp, text, noun string) string {
	if noun == "" {
		return text
	}
	return word.ReplaceAllString(text, "${1}"+Line(noun)+"${2}${3}")
}
