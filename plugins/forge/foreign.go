package forge

import (
	"strings"

	"github.com/proctorhq/proctor/plugins/forge/internal/testjson"
	"github.com/proctorhq/proctor/sdk"
)

// foreign counts lines of standard output that are neither results nor words
// of forge: logs of tests, metrics of a campaign, the output of a plugin of
// the user.
type foreign struct {
	lines    sdk.Unread
	suspects sdk.Unread
	damaged  sdk.Unread
	// failure reports whether a line says that something failed, in the words of a
	// document.
	failure bool
}

// maxForeignSample is some lines.
const maxForeignSample = 2 << 10

func (f *foreign) add(t testjson.Text) { count(&f.lines, t) }

// look takes notice of a line, whatever it is.
func (f *foreign) look(t testjson.Text) { f.failure = f.failure || t.Failure }

// suspect counts a line that has something of a result.
func (f *foreign) suspect(t testjson.Text) { count(&f.suspects, t) }

// damage counts what could not be read of a document.
func (f *foreign) damage(d testjson.Document) {
	count(&f.damaged, testjson.Text{Head: []byte(d.Sample), Bytes: d.Unread - 1})
}

func count(u *sdk.Unread, t testjson.Text) {
	u.Bytes += t.Bytes + 1
	if room := maxForeignSample - len(u.Sample); room > 0 {
		line := strings.ToValidUTF8(string(t.Head[:min(len(t.Head), room)]), "\uFFFD")
		u.Sample = strings.TrimPrefix(u.Sample+"\n"+visible(line), "\n")
	}
}

// cut takes the foreign text for damage, since its last line has no end.
func (f *foreign) cut() {
	f.lines.Bytes, f.lines.Damaged = max(f.lines.Bytes, 1), true
}

// report reports what was counted. A line that has something of a result is
// damage where there is no whole document, as forge prints its results in one,
// and where it may hide a failure: a document printed over several lines has
// the two words in different ones.
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
