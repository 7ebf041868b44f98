package parse

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/internal/lazyregexp"
	"github.com/proctorhq/proctor/sdk"
)

// scriptFailed matches how github.com/rogpeppe/go-internal/testscript and rsc.io/script say
// which line of a script failed. That of a Go file is no script.
var scriptFailed = lazyregexp.New(`^FAIL: (\S*[^:\s]):(\d+): (.+)$`)

// scriptLine returns the line of a message that says where a script failed, or -1.
func scriptLine(text []string) int {
	return slices.IndexFunc(text, func(l string) bool {
		return strings.HasPrefix(l, "FAIL: ") && scriptFailed.MatchString(l) && !strings.Contains(l, ".go:")
	})
}

// readScript reads the log of a script, which ends with why it failed:
//
//	> exec echo a b
//	[stdout]
//	a b
//	> stdout c
//	FAIL: testdata/one.txtar:5: no match for `c` found in stdout
//
// The message has the command and, if it printed nothing, what it may be about: the one
// before. The place is unknown if there is no such file.
func readScript(tree *tree, s *suite, text []string) (at sdk.Location, message string, diff sdk.Diff) {
	end := scriptLine(text)
	m := scriptFailed.FindStringSubmatch(text[end])
	file, line, _ := pathAndLine(m[1] + ":" + m[2])
	if dir, known := tree.dir(s.name); known && !isAbs(file) {
		file = filepath.Join(dir, filepath.FromSlash(file))
	}
	if tree.isFile(file) {
		at = tree.locate(s, file, line)
	}
	from := lastCommand(text[:end])
	if from >= 0 && from == end-1 {
		from = lastCommand(text[:from])
	}
	said := []string{m[3]}
	if from >= 0 {
		said[0] += ":"
		said = append(said, text[from:end]...)
	}
	message, diff = readMessage(append(said, text[end+1:]...))
	return at, message, diff
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
