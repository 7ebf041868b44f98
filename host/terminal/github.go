package terminal

import (
	"cmp"
	"path/filepath"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/workspace"
	"github.com/proctorhq/proctor/sdk"
)

// github prints a group for each suite that failed. See "Workflow commands" in the
// documentation of GitHub Actions; the annotations come at the end, in a report.
type github struct {
	v *View
	*bySuite
	failed map[string][]api.Failure
	// root is the repository's directory, with a separator at its end.
	root string
}

func (g *github) Listen(e api.Event) {
	switch e := e.(type) {
	case *api.RunStarted:
		g.root = cmp.Or(workspace.RepositoryOf(e.Run.Workspace), e.Run.Workspace) + string(filepath.Separator)
	case *api.FailureFound:
		if g.failed == nil {
			g.failed = map[string][]api.Failure{}
		}
		g.failed[e.Suite] = append(g.failed[e.Suite], e.Failure)
	case *api.TestEnded:
		g.of(e.Suite).add(e.Result)
	case *api.SuiteEnded:
		g.printSuite(e.SuiteResult)
	}
}

func (g *github) printSuite(r sdk.SuiteResult) {
	line, failed := g.line(r), g.failed[r.Suite]
	if len(failed) == 0 {
		g.v.print(g.v.cfg.Asked, line)
		return
	}
	var b strings.Builder
	b.WriteString("::group::" + line)
	for _, f := range failed {
		message, _, _ := strings.Cut(f.Message, "\n")
		if strings.Contains(f.Output, message) {
			f.Message = ""
		}
		for _, text := range []string{g.v.testName(f.Suite, f.Test), f.Message, f.Output} {
			for l := range strings.Lines(prose.Plain(text)) {
				b.WriteString(disarm(relativePaths(strings.TrimRight(l, "\n"), g.root)) + "\n")
			}
		}
	}
	b.WriteString("::endgroup::\n")
	g.v.print(g.v.cfg.Asked, b.String())
	delete(g.failed, r.Suite)
}

// disarm keeps GitHub from taking a line of a test's output for a command.
func disarm(line string) string {
	line = strings.ReplaceAll(line, "##[", "# #[")
	if strings.HasPrefix(strings.TrimSpace(line), "::") {
		line = strings.Replace(line, "::", ": :", 1)
	}
	return line
}

// relativePaths makes the paths below root in a line relative to it, as GitHub shows them.
func relativePaths(line, root string) string {
	if len(root) < 2 {
		return line
	}
	var b strings.Builder
	for {
		at := strings.Index(line, root)
		if at < 0 {
			return b.String() + line
		}
		b.WriteString(line[:at])
		if at > 0 && !strings.ContainsRune(" \t\"'`(<[{=,;", rune(line[at-1])) { // part of a longer path
			b.WriteString(root)
		}
		line = line[at+len(root):]
	}
}
