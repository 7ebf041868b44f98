package prose

import "github.com/proctorhq/proctor/internal/lazyregexp"

// suiteWord finds the word in a sentence, and not in a path or a name.
var suiteWord = lazyregexp.New(`(^|[^-./\w])suite(s?)($|[^-./\w]|\.$|\.\s)`)

// InWords returns a sentence of ours in the words of a language, which calls a suite noun;
// unchanged if that is unknown.
func InWords(sentence, noun string) string {
	if noun == "" {
		return sentence
	}
	return suiteWord.ReplaceAllString(sentence, "${1}"+Line(noun)+"${2}${3}")
}
