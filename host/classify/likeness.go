package classify

import (
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
)

// Trace is what the record keeps of a failure.
type Trace struct {
	// Signature is empty if unknown.
	Signature string
	Kind      string
	// Excerpt is the headline: the first line of the message, and what differs.
	Excerpt string
}

// TraceOf returns the trace of a failure. excerpt is its headline as recorded.
func TraceOf(f api.Failure, excerpt string) Trace {
	return Trace{Signature: Signature(f), Kind: f.Kind, Excerpt: excerpt}
}

func traceOf(p history.Point) Trace { return Trace{p.Signature, p.Kind, p.Excerpt} }

// Compare returns how alike two failures of one test are. Every view relies on it.
// Different signatures prove little, since the difference may be an unrecognized
// identifier, so the messages are compared as well. Old signatures have no place: if they
// are equal, so are the failures; if not, that proves nothing.
func Compare(a, b Trace) api.Likeness {
	switch {
	case a.Signature == "" || b.Signature == "":
		return api.LikenessUnknown
	case a.Signature == b.Signature:
		return api.SameFailureAgain
	case a.Kind != b.Kind:
		return api.OtherKind
	}
	here, isHere := placeIn(a.Signature)
	there, isThere := placeIn(b.Signature)
	known := isHere && isThere
	switch {
	case known && here != there:
		return api.OtherPlace
	case a.Excerpt == b.Excerpt:
		if a.Excerpt == "" && !known {
			return api.LikenessUnknown
		}
		return api.SimilarFailure
	case isSimilar(a.Excerpt, b.Excerpt):
		return api.SimilarFailure
	}
	return api.OtherMessage
}

// isSimilar reports whether two first lines have one shape: three in four of their
// words are the same, in the same order. Numbers, names with digits and quoted text are
// values, not words.
func isSimilar(a, b string) bool {
	one, two := splitWords(a), splitWords(b)
	if len(one)+len(two) == 0 {
		return lineSkeleton(a) == lineSkeleton(b)
	}
	return 8*countCommon(one, two) >= 3*(len(one)+len(two))
}

// splitWords returns the words of a line that are not values.
func splitWords(line string) []string {
	line = withoutQuoted(line)
	var list []string
	for i := 0; i < len(line); {
		if n, _ := matchCalendar(line[i:], 0); n > 0 {
			i += n
			continue
		}
		// Anything joined to a number is not a word either.
		n := matchRun(line[i:], func(c byte) bool { return isWord(c) || inToken(c) })
		if part := line[i : i+n]; !strings.ContainsAny(part, "0123456789") {
			for _, word := range strings.FieldsFunc(part, func(r rune) bool { return r < 0x80 && !isWord(byte(r)) }) {
				// Taking a strange word for a random one costs little here.
				if len(word) < 5 || looksOf(word).strange < 4 {
					list = append(list, word)
				}
			}
		}
		i += max(n, 1)
	}
	return list
}

// withoutQuoted removes quoted text.
func withoutQuoted(line string) string {
	var b strings.Builder
	for {
		at := strings.IndexAny(line, "\"`")
		if at < 0 {
			break
		}
		size := strings.IndexByte(line[at+1:], line[at])
		if size < 0 {
			break
		}
		b.WriteString(line[:at])
		b.WriteByte('"')
		line = line[at+1+size+1:]
	}
	b.WriteString(line)
	return b.String()
}

// lineSkeleton replaces every number in a line by one character.
func lineSkeleton(line string) string {
	var b strings.Builder
	line = withoutQuoted(line)
	for i := 0; i < len(line); {
		if n := wordLength(line[i:]); n > 0 {
			b.WriteByte('#')
			i += n
			continue
		}
		b.WriteByte(line[i])
		i++
	}
	return b.String()
}

// countCommon returns the length of the longest common subsequence of words.
func countCommon(a, b []string) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		corner := 0
		for j, y := range b {
			above := row[j+1]
			switch {
			case x == y:
				row[j+1] = corner + 1
			default:
				row[j+1] = max(above, row[j])
			}
			corner = above
		}
	}
	return row[len(b)]
}
