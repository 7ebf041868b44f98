package parse

import (
	"regexp"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

var (
	// endedTool is the end of what cmd/go says about a tool that a signal ended:
	// "…/tool/linux_amd64/link: signal: interrupt".
	endedTool = regexp.MustCompile(`: signal: (interrupt|killed|terminated|quit)(?: \(core dumped\))?$`)
	// dumpOfTool begins the dump of a tool that is written in Go; "PC=" follows. The
	// host's time-out sends this signal to all that a command has started.
	dumpOfTool = regexp.MustCompile(`^SIG(QUIT|INT|TERM): \w+$`)
)

// endedBy is the signal that ended a tool of a build which says nothing else against
// the sources; empty where there is none.
func (b *buildBlock) endedBy() string {
	if b.hasErrors() {
		return ""
	}
	for i, l := range b.lines {
		if m := endedTool.FindStringSubmatch(l); m != nil {
			return m[1]
		}
		if dumpOfTool.MatchString(l) && i+1 < len(b.lines) && strings.HasPrefix(b.lines[i+1], "PC=") {
			name, _, _ := strings.Cut(l, ":")
			return name
		}
	}
	return ""
}

// someInterrupted reports whether a build was ended by a signal.
func (b *builds) someInterrupted() bool {
	for _, block := range b.blocks {
		if block.endedBy() != "" {
			return true
		}
	}
	return false
}

// isStop tells an end of the run that ends builds as well: then nobody knows whether
// the sources can be built.
func isStop(exit sdk.Exit) bool { return exit.Cancelled || exit.TimedOut }

// wasStopped reports whether a suite was not built because the run ended. What cannot be
// built by itself is that all the same.
func (b *builds) wasStopped(s *suite, exit sdk.Exit) bool {
	if !isStop(exit) {
		return false
	}
	stopped := false
	for _, block := range b.blocks {
		switch {
		case s.failedBuild != "" && !block.builds[s.failedBuild]: // of another suite
		case block.endedBy() != "":
			stopped = true
		case block.broken || block.hasErrors():
			return false
		}
	}
	return stopped
}

// withoutStopped leaves out the packages of which only the end of the run is said.
func (b *builds) withoutStopped(owners []string, exit sdk.Exit) []string {
	if !isStop(exit) {
		return owners
	}
	return slices.DeleteFunc(owners, func(owner string) bool { return b.blocks[owner].endedBy() != "" })
}

// isWaiting reports whether a suite has ended and is reported at the end of the run.
func (ss *suites) isWaiting(name string) bool {
	return slices.ContainsFunc(ss.waiting, func(s *suite) bool { return s.name == name })
}
