package reports

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/proctorhq/proctor/host/git"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/report"
	"github.com/proctorhq/proctor/host/workspace"
)

// githubReport is what GitHub Actions reads of a step: annotations in its output, and the
// summary of its job.
type githubReport struct {
	// given reports whether isOn is decided: by --report, or else by the environment.
	given, isOn bool
	// token ends the part of the output in which GitHub ignores commands.
	token    string
	document *report.Document
	options  report.Options
}

// take reads a value of --report, and reports whether it is about this report.
func (g *githubReport) take(asked string) bool {
	on := asked == report.GitHubName || asked == report.GitHubName+"=on"
	if !on && asked != report.GitHubName+"=off" {
		return false
	}
	g.given, g.isOn = true, on
	return true
}

// stop makes GitHub ignore commands until the end, if there is a report: what tests print
// could annotate, mask or group, even in the middle of a line.
func (g *githubReport) stop(s Surroundings) {
	if !g.given {
		g.isOn, g.given = s.Getenv("GITHUB_ACTIONS") == "true", true
	}
	if g.isOn && g.token == "" {
		g.token = rand.Text()
		fmt.Fprintf(s.Stderr, "::stop-commands::%s\n", g.token)
	}
}

// end writes the annotations and the summary.
func (g *githubReport) end(ctx context.Context, s Surroundings) (failed bool) {
	if g.token == "" {
		return false
	}
	fmt.Fprintf(s.Stderr, "::%s::\n", g.token)
	if g.document == nil || len(g.document.Runs) == 0 {
		return false
	}
	g.options.Touched = touchedFiles(context.WithoutCancel(ctx), s)
	f, _ := report.Find(report.GitHubName)
	err := f.Write(s.Stderr, g.document, g.options)
	if err == nil {
		err = g.summarize(s)
	}
	if err != nil {
		fmt.Fprintf(s.Stderr, "proctor: the github report was not written: %s\n", prose.Plain(err.Error()))
	}
	return err != nil
}

// summarize appends to the summary of the step, which may already have content.
func (g *githubReport) summarize(s Surroundings) error {
	path := s.Getenv("GITHUB_STEP_SUMMARY")
	if path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	written, err := report.WriteSummary(f, g.document, g.options, info.Size())
	if err == nil && !written {
		fmt.Fprintf(s.Stderr, "proctor: the results do not fit into the summary of this step: GitHub would reject all of it\n")
	}
	return err
}

// touchedFiles returns the files that a pull request touches: GitHub checks out its merge
// commit, whose first parent is the target branch.
func touchedFiles(ctx context.Context, s Surroundings) map[string]bool {
	touched := map[string]bool{}
	if !strings.HasPrefix(s.Getenv("GITHUB_EVENT_NAME"), "pull_request") {
		return touched
	}
	program, err := workspace.FindTool("git", s.Environ)
	if err != nil {
		return touched
	}
	// A shallow checkout has no parent: then no file counts as touched.
	out, err := git.New(program, s.Environ).In(filepath.Clean(s.Dir)).Run(ctx, "diff", "--name-only", "--no-ext-diff", "-z", "HEAD^1", "HEAD")
	if err != nil {
		return touched
	}
	for _, name := range strings.Split(string(out), "\x00") {
		touched[name] = true
	}
	return touched
}
