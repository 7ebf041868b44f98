package parse

import (
	"slices"
	"strings"

	"github.com/proctorhq/proctor/plugins/go/internal/wording"
)

// selectFailing selects the messages that are errors. Since Go 1.27 the stream marks them,
// unless a library calls t.Log and t.FailNow. Otherwise errors look like the output of
// t.Log, and the source decides. unread reports that the source could not be read.
func (x *examiner) selectFailing(s *suite, found []block) (failing []block, unread bool) {
	for _, b := range found {
		if b.typed && (!b.fromTesting() || b.says(parentGoexit)) {
			failing = append(failing, b)
		}
	}
	if len(failing) > 0 {
		return failing, false
	}
	full := x.fullpath
	for _, b := range found {
		full = full || isAbs(b.file) && !b.fromTesting()
	}
	failing, unread = x.selectFailingBySource(s, found, full)
	if len(failing) == 0 && full {
		// A child process of the test may have another setting.
		failing, unread = x.selectFailingBySource(s, found, false)
	}
	return failing, (unread || s.typed) && len(failing) > 0
}

// selectFailingBySource selects the messages that their source does not make logs. If one of
// them surely is an error, doubtful ones follow it; if there are none, the last log of a library
// comes first, which may say why it failed the test.
func (x *examiner) selectFailingBySource(s *suite, found []block, full bool) (failing []block, unread bool) {
	unread = true
	isSure := false
	var likely, doubtful, logged []block
	for _, b := range found {
		w, isUnread := x.weigh(s, b, full)
		switch w {
		case weightNone:
			continue
		case weightLogged:
			logged = append(logged, b)
			continue
		case weightDoubtful:
			doubtful = append(doubtful, b)
		default:
			likely, isSure = append(likely, b), isSure || w == weightSure
		}
		failing, unread = append(failing, b), unread && isUnread
	}
	switch {
	case isSure:
		failing = append(likely, doubtful...)
	case len(failing) == 0 && len(logged) > 0:
		slices.Reverse(logged)
		return logged, false
	}
	return failing, unread
}

// weight is how surely a message says why the test failed.
type weight uint8

const (
	weightNone     weight = iota // a log, or printed by the test itself
	weightLogged                 // logged by a library that may fail the test without another message
	weightDoubtful               // a logger may say it, or a library does from its own file
	weightLikely                 // nothing makes it a log
	weightSure                   // its source fails the test
)

// weigh weighs a message by its words and its source; isUnread reports whether the source could
// not be read. With full paths, a base name means that the test itself printed the message.
func (x *examiner) weigh(s *suite, b block, full bool) (w weight, isUnread bool) {
	switch {
	case b.says(parentGoexit):
		return weightLikely, false
	case b.fromTesting(), full && !strings.ContainsAny(b.file, `/\`):
		return weightNone, false
	}
	kind := x.tree.calls(s).judge(b)
	switch {
	case kind == callFails:
		return weightSure, false
	case isLibraryLog(b):
		return weightNone, false
	case kind == callLogs && scriptLine(b.text) >= 0:
		return weightLogged, false
	case kind == callLogs, kind == callForeign:
		return weightNone, false
	case wording.IsTestify(b.text):
		return weightSure, kind == callUnread
	case kind == callLogsOutside:
		return weightLogged, false
	case kind == callMayFail, isVendored(b.file), x.tree.isElsewhere(s, b.file):
		return weightDoubtful, kind == callUnread
	}
	return weightLikely, kind == callUnread
}
