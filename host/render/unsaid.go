package render

import (
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
)

// unsaidLine is the note about what else was wrong; empty where nothing was.
func unsaidLine(run api.Run, style Style) string {
	text := prose.Plain(unsaid(run))
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

// unsaid is what the runner or the plugin said of why it could not work, as far as
// neither the reason nor a failure says it: a stronger piece of evidence decided
// about the verdict, and its reason is about that alone.
func unsaid(run api.Run) string {
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

// unbuilt is the word for suites none of whose tests ran since what they need was
// not there. Where all of that is a matter of setting up, nothing was to be built.
func unbuilt(run api.Run) string {
	setup := func(f api.Failure) bool { return f.Kind == "setup" }
	build := func(f api.Failure) bool { return f.Kind == "build" || f.Kind == "vet" }
	if slices.ContainsFunc(run.Failures, setup) && !slices.ContainsFunc(run.Failures, build) {
		return "not loaded"
	}
	return "not built"
}
