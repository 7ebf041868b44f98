package host

import (
	"strings"

	"github.com/proctorhq/proctor/host/record"
)

// maxExcerpt is how much of a text the history keeps: enough to recognise it in a
// list; the run's own record has the whole.
const maxExcerpt = 200

// excerpt is the first line of a text, bounded.
func excerpt(text string) string {
	text = strings.TrimSpace(text)
	text, _, _ = strings.Cut(text, "\n")
	if len(text) > maxExcerpt {
		text = strings.ToValidUTF8(text[:maxExcerpt], "") + "…"
	}
	return text
}

// headline is what the history keeps of a failure's words.
func headline(f record.Failure) string { return excerpt(f.Headline()) }
