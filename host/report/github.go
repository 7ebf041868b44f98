package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
)

// GitHubName is the format that GitHub Actions reads from the output of a step.
const GitHubName = "github"

// maxErrors is how many errors are annotated. GitHub shows ten per step and silently drops
// the others, so the tenth says how many more there are.
const maxErrors = 9

// maxSummary bounds the summary of a step in bytes: GitHub rejects one above 1 MiB as a
// whole, with what others wrote into it.
const maxSummary = 900 << 10

// writeGitHub annotates the places of causes: new failures first, and among equals those in
// files that the change touches. See "Workflow commands" in the documentation of GitHub
// Actions.
func writeGitHub(w io.Writer, d *Document, o Options) error {
	causes := causesOf(d)
	slices.SortStableFunc(causes, func(a, b cause) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), compareFalseLast(o.isTouched(a), o.isTouched(b)))
	})
	var b strings.Builder
	for _, c := range causes[:min(len(causes), maxErrors)] {
		b.WriteString(annotation("error", c, o))
	}
	if left := len(causes) - maxErrors; left > 0 {
		fmt.Fprintf(&b, "::error title=proctor::%s\n", commandData().Replace(api.Plural(left, "more cause")+" of failures; see the job's summary and log"))
	}
	warned := 0
	for _, c := range excusedOf(d) {
		if warned++; warned <= maxErrors {
			b.WriteString(annotation("warning", c, o))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// excusedOf returns what failed and did not decide: flaky tests of a run that passed, and
// known failures.
func excusedOf(d *Document) []cause {
	var found []cause
	for _, run := range d.Runs {
		for _, s := range run.Suites {
			for _, c := range s.Cases {
				if c.Status == Quarantined || c.Flaky && !c.Status.IsRed() {
					found = append(found, cause{run: run, suite: s, first: c})
				}
			}
		}
	}
	return found
}

func compareFalseLast(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// isTouched reports whether a cause lies in a file that the tested change touches.
func (o Options) isTouched(c cause) bool {
	file, _ := c.first.Place()
	path, ok := o.fileOf(file)
	return ok && o.Touched[path]
}

func commandData() *strings.Replacer {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
}

func commandProperty() *strings.Replacer {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
}

// annotation marks the place of a cause: an error, or a warning.
func annotation(command string, c cause, o Options) string {
	title := strings.TrimSpace(c.suite.Name + " " + c.first.Name)
	text := prose.Plain(c.first.Message())
	if c.more > 0 {
		text += fmt.Sprintf("\n%d more like it", c.more)
	}
	properties := "title=" + commandProperty().Replace(prose.Line(title))
	if file, line := c.first.Place(); file != "" {
		if path, ok := o.fileOf(prose.Line(file)); ok {
			properties += ",file=" + commandProperty().Replace(path)
			if line > 0 {
				properties += fmt.Sprintf(",line=%d", line)
			}
		}
	}
	return "::" + command + " " + properties + "::" + commandData().Replace(text) + "\n"
}

// WriteSummary appends to the summary of a step, which has size bytes so far. written
// reports whether there was room for it.
func WriteSummary(w io.Writer, d *Document, o Options, size int64) (written bool, err error) {
	var b strings.Builder
	if err := writeMarkdown(&b, d, o); err != nil {
		return false, err
	}
	if size+int64(b.Len()) > maxSummary {
		return false, nil
	}
	_, err = io.WriteString(w, "\n"+b.String()+"\n")
	return err == nil, err
}
