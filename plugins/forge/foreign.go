package forge

import (
	"strings"

	"github.com/proctorhq/proctor/plugins/forge/internal/testjson"
	"github.com/proctorhq/proctor/sdk"
)

// foreign counts lines of standard output that are neither results nor forge's
// messages: logs of tests, metrics of a campaign, the output of a user's plugin.
type foreign struct {
	lines    sdk.Unread
	suspects sdk.Unread
	damaged  sdk.Unread
	// failure reports whether a line says that something failed, in a document's words.
	failure bool
}

// maxForeignSample bounds the sample to a few lines.
const maxForeignSample = 2 << 10

func (f *foreign) add(t testjson.Text) { countText(&f.lines, t) }

// noteFailure notes any line.
func (f *foreign) noteFailure(t testjson.Text) { f.failure = f.failure || t.Failure }

// addSuspect counts a line that partly looks like a result.
func (f *foreign) addSuspect(t testjson.Text) { countText(&f.suspects, t) }

// addDamage counts what could not be read of a document.
func (f *foreign) addDamage(d testjson.Document) {
	countText(&f.damaged, testjson.Text{Head: []byte(d.Sample), Bytes: d.Unread - 1})
}

func countText(u *sdk.Unread, t testjson.Text) {
	u.Bytes += t.Bytes + 1
	if room := maxForeignSample - len(u.Sample); room > 0 {
		line := strings.ToValidUTF8(string(t.Head[:min(len(t.Head), room)]), "\uFFFD")
		u.Sample = strings.TrimPrefix(u.Sample+"\n"+makeVisible(line), "\n")
	}
}

// markCut counts foreign text as damage, since its last line has no end.
func (f *foreign) markCut() {
	f.lines.Bytes, f.lines.Damaged = max(f.lines.Bytes, 1), true
}

// report reports the counts. A line that partly looks like a result is damage if there
// is no whole document, as forge prints its results in one, and if it may hide a
// failure: a document printed over several lines has the two words in different lines.
func (f *foreign) report(sink sdk.Sink, whole bool) {
	if f.damaged.Bytes > 0 {
		f.damaged.Damaged = true
		sink.Unread(f.damaged)
	}
	if f.suspects.Bytes > 0 {
		f.suspects.Damaged = !whole || f.failure
		sink.Unread(f.suspects)
	}
	if f.lines.Bytes > 0 {
		sink.Unread(f.lines)
	}
}
