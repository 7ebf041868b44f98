package render

import (
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render/concise"
)

// unsaidLine is the note about what else was wrong; empty if nothing was.
func unsaidLine(run api.Run, style Style) string {
	text := prose.Plain(findUnsaid(run))
	if text == "" {
		return ""
	}
	if !style.Verbose {
		text = concise.Shorten(text, concise.Lines, style.more("-v shows them"))
	}
	if run.Verdict == api.ToolError {
		return "in its own words: " + text
	}
	return "the runner reported an error: " + text
}

// findUnsaid returns what the runner or the plugin said about why it could not work, apart
// from what the reason or a failure already says. The reason may lack it if stronger
// evidence decided the verdict.
func findUnsaid(run api.Run) string {
	var left []string
	lines := strings.Split(strings.Trim(run.RunError, "\n"), "\n")
	for _, line := range lines {
		said := strings.Contains(run.Reason, line) || slices.ContainsFunc(run.Failures, func(f api.Failure) bool {
			return strings.Contains(f.Message, line) || f.File != "" && strings.HasSuffix(line, concise.Place(f.File, f.Line)+": "+firstLine(f.Message))
		})
		if !said {
			left = append(left, line)
		}
	}
	if len(left) == 1 && len(lines) > 1 && left[0] == lines[0] && strings.HasSuffix(left[0], ":") {
		return "" // it only introduces the others
	}
	return strings.Join(left, "\n")
}

// unbuilt returns the words for suites whose tests could not run because something that
// they need was missing, depending on whether that was their build or their set-up.
func unbuilt(run api.Run) string {
	setup := func(f api.Failure) bool { return f.Kind == "setup" }
	build := func(f api.Failure) bool { return f.Kind == "build" || f.Kind == "vet" }
	if slices.ContainsFunc(run.Failures, setup) && !slices.ContainsFunc(run.Failures, build) {
		return "not loaded"
	}
	return "not built"
}
