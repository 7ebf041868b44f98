package ledger

import (
	"strings"

	"github.com/proctorhq/proctor/host/api"
)

// maxExcerpt is how much of a text the history keeps: enough to recognise it in a
// list; the run's own record has the whole.
const maxExcerpt = 200

// Excerpt is the first line of a text, bounded.
func Excerpt(text string) string {
	text = strings.TrimSpace(text)
	text, _, _ = strings.Cut(text, "\n")
	if len(text) > maxExcerpt {
		text = strings.ToValidUTF8(text[:maxExcerpt], "") + "…"
	}
	return text
}

// Headline is what the history keeps of a failure's words.
func Headline(f api.Failure) string { return Excerpt(f.Headline()) }
