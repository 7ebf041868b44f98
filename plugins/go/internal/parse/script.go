package parse

import (
	"slices"
	"strings"

	"github.com/proctorhq/proctor/internal/lazyregexp"
	"github.com/proctorhq/proctor/plugins/go/internal/wording"
)

// scriptFailed matches how github.com/rogpeppe/go-internal/testscript and rsc.io/script say
// which line of a script failed. That of a Go file is no script.
var scriptFailed = lazyregexp.New(`^FAIL: (\S*[^:\s]):(\d+): (.+)$`)

// scriptHeading matches the heading of a part of a script, which is logged when it ends.
var scriptHeading = lazyregexp.New(`^# .*\(\d+\.\d+s\)$`)

// scriptLine returns the line of a message that says where a script failed, or -1. What
// precedes it is the log of commands: other messages may quote such a line.
func scriptLine(text []string) int {
	at := slices.IndexFunc(text, func(l string) bool {
		return strings.HasPrefix(l, "FAIL: ") && scriptFailed.MatchString(l) && !strings.Contains(l, ".go:")
	})
	if at > 0 && lastCommand(text[:at]) < 0 {
		return -1
	}
	return at
}

// readScript reads the log of a script, which ends with why it failed:
//
//	> exec echo a b
//	[stdout]
//	a b
//	> stdout c
//	FAIL: testdata/one.txtar:5: no match for `c` found in stdout
//
// The message has the command and, if only the one before printed something, that one: it
// may be about it. Without such a file in the workspace, the place stays in the message.
func readScript(tree *tree, s *suite, text []string) (c check, ok bool) {
	end := scriptLine(text)
	if end < 0 {
		return check{}, false
	}
	m := scriptFailed.FindStringSubmatch(text[end])
	said := []string{m[3]}
	if c.at = tree.locateData(s, m[1]+":"+m[2]); c.at.File == "" {
		said[0] = strings.TrimPrefix(text[end], "FAIL: ")
	}
	log := slices.DeleteFunc(slices.Clone(text[:end]), scriptHeading.MatchString)
	from := lastCommand(log)
	if before := lastCommand(log[:max(from, 0)]); from == len(log)-1 && before >= 0 && before < from-1 {
		from = before
	}
	if from >= 0 {
		said[0] += ":"
		said = append(said, log[from:]...)
	}
	c.message, c.diff = wording.Read(append(said, text[end+1:]...))
	return c, true
}

// lastCommand returns the last line on which a script's log shows a command, or -1.
func lastCommand(text []string) int {
	for i, l := range slices.Backward(text) {
		if strings.HasPrefix(l, "> ") {
			return i
		}
	}
	return -1
}
