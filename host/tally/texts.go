package tally

import (
	"fmt"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/sdk"
)

// Bounds on a plugin's free texts. A plugin is not trusted to be brief.
const (
	maxNotes    = 50
	maxRunError = 16 << 10
)

// texts is what a plugin says of a run besides results.
type texts struct {
	Notes      []string
	Conditions map[string]string
	// Samples are of output that could not be parsed; damaged are its bytes that may have
	// held results.
	Samples   []string
	damaged   int64
	runErrors []string
}

func newTexts() texts { return texts{Conditions: map[string]string{}} }

// Note adds a remark about the run.
func (t *texts) Note(text string) {
	if len(t.Notes) < maxNotes && !slices.Contains(t.Notes, text) {
		t.Notes = append(t.Notes, text)
	}
}

func (t *texts) addUnread(u sdk.Unread) {
	if u.Damaged {
		t.damaged += max(u.Bytes, 1) // damage without a size is damage
	}
	if len(t.Samples) < maxNotes && u.Sample != "" {
		t.Samples = append(t.Samples, u.Sample)
	}
}

func (t *texts) addCondition(name, value string) {
	if _, ok := t.Conditions[name]; ok || len(t.Conditions) < maxNotes {
		t.Conditions[name] = value
	}
}

func (t *texts) addRunError(text string) {
	if len(t.runErrors) < maxNotes {
		t.runErrors = append(t.runErrors, text)
	}
}

// add adds the texts of another tally.
func (t *texts) add(o *texts) {
	for _, n := range o.Notes {
		t.Note(n)
	}
	for name, value := range o.Conditions {
		t.addCondition(name, value)
	}
	t.runErrors = append(t.runErrors, o.runErrors...)
	t.damaged += o.damaged
	t.Samples = append(t.Samples, o.Samples...)
}

// RunErrorText returns the runner's explanations of why it could not work.
func (t *texts) RunErrorText() string {
	return prose.Cut(strings.Join(t.runErrors, "\n"), maxRunError, "\n"+sdk.TruncationMark)
}

// DescribeUnread says how much of the output could not be parsed; empty if all of it was.
func DescribeUnread(t *Tally) string {
	if t.Counts.ParseSkippedBytes == 0 {
		return ""
	}
	text := fmt.Sprintf("%d bytes of output could not be parsed", t.Counts.ParseSkippedBytes)
	if len(t.Samples) > 0 {
		text += fmt.Sprintf(", such as %q", t.Samples[0])
	}
	return text
}
