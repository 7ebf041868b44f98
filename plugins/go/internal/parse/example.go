package parse

import (
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// examineExample explains an example whose output differs:
//
//	got:
//	one
//	want:
//	two
func examineExample(t *test, f *finding) bool {
	if !strings.HasPrefix(t.name, "Example") {
		return false
	}
	got, want := -1, -1
	for i, l := range f.lines {
		switch {
		case l.text == "got:" && got < 0:
			got = i
		case strings.HasPrefix(l.text, "want:") || strings.HasPrefix(l.text, "want (unordered):"):
			if got >= 0 && want < 0 {
				want = i
			}
		}
	}
	if got < 0 || want < 0 {
		return false
	}
	f.kind, f.own, f.anchor = sdk.KindExample, true, got
	f.diff.Got = tidy(texts(f.lines[got+1:want], 0))
	f.diff.Want = tidy(texts(f.lines[want+1:], 0))
	switch f.message = "the output of the example differs"; {
	case f.diff.Want == "":
		f.message += ": nothing was expected"
	case f.diff.Got == "":
		f.message += ": it printed nothing"
	}
	return true
}
