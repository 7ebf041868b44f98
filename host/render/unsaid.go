package render

import (
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
)

// unsaidLine is the note about what else was wrong; empty if nothing was.
func unsaidLine(run api.Run, style Style) string {
	text := prose.Plain(findUnsaid(run))
	if text == "" {
		return ""
	}
	if !style.Verbose {
		text = Shorten(text, MessageLines, style.more("-v shows them"))
	}
	if run.Verdict == api.ToolError {
		return "in its own words: " + text
	}
	return "the runner reported an error: " + text
}

// findUnsaid returns what the runner or the plugin said about why it could not work, unless
// the reason or a failure says it: stronger evidence decided the verdict, and its
// reason only covers that.
func findUnsaid(run api.Run) string {
	var left []string
	for _, line := range strings.Split(strings.Trim(run.RunError, "\n"), "\n") {
		said := strings.Contains(run.Reason, line) ||
			slices.ContainsFunc(run.Failures, func(f api.Failure) bool { return strings.Contains(f.Message, line) })
		if !said {
			left = append(left, line)
		}
	}
	return strings.Join(left, "\n")
}

// unbuilt is the word for suites whose tests could not run because something they need
// was missing. If all of that concerns the set-up, nothing was to be built.
func unbuilt(run api.Run) string {
	setup := func(f api.Failure) bool { return f.Kind == "setup" }
	build := func(f api.Failure) bool { return f.Kind == "build" || f.Kind == "vet" }
	if slices.ContainsFunc(run.Failures, setup) && !slices.ContainsFunc(run.Failures, build) {
		return "not loaded"
	}
	return "not built"
}
