package host

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/report"
	"github.com/proctorhq/proctor/host/rerun"
	"github.com/proctorhq/proctor/host/workspace"
	"github.com/proctorhq/proctor/sdk"
)

// wayOf is in which way the commands of a plan run tests. Where the plugin does not
// tell, all runner arguments and deciding variables decide; where it does, it knows of
// the variables that it sees.
func (p project) wayOf(plan sdk.Plan, args []string) *rerun.Way {
	var decides, narrows []string
	deciding := p.deciding()
	if plan.Way != nil {
		decides, narrows = slices.Clone(plan.Way.Decides), plan.Way.Narrows
	} else {
		for i, arg := range args {
			decides = append(decides, fmt.Sprintf("%04d %s", i, arg)) // their order may matter
		}
	}
	for _, name := range slices.Sorted(maps.Keys(deciding)) {
		if plan.Way == nil || !slices.Contains(p.id.Env, name) {
			decides = append(decides, name+"="+deciding[name])
		}
	}
	return rerun.WayOf(decides, narrows)
}

// under is the project in the environment in which some outstanding tests were red, as
// far as deciding variables make it. changed are the settings that are otherwise now.
func (h *base) under(ctx context.Context, p project, e rerun.Entry) (in project, changed []string) {
	_, env, marked := strings.Cut(e.Args, rerun.EnvMark)
	if e.Way == nil || !marked {
		return p, nil
	}
	then := map[string]string{}
	for _, setting := range words(strings.TrimPrefix(env, "\x00")) {
		if name, value, ok := strings.Cut(setting, "="); ok {
			then[name] = value
		}
	}
	now := p.deciding()
	if maps.Equal(then, now) {
		return p, nil
	}
	p.environ, p.changed = workspace.Unsetenv(p.environ, slices.Sorted(maps.Keys(now))), true
	for _, name := range keysOfBoth(now, then) {
		value, set := then[name]
		if set {
			p.environ = workspace.Setenv(p.environ, name, value)
		}
		if value != now[name] {
			changed = append(changed, name+"="+value)
		}
	}
	p.ws.Env = workspace.Pick(p.environ, p.id.Env)
	return h.probed(ctx, p), changed
}

// wayWords are the words of a way as a user reads them.
func wayWords(w *rerun.Way) string {
	var texts []string
	for _, word := range w.Words() {
		if number, rest, ok := strings.Cut(word, " "); ok && len(number) == 4 && strings.Trim(number, "0123456789") == "" {
			word = rest
		}
		texts = append(texts, word)
	}
	if len(texts) == 0 {
		return "nothing special"
	}
	return report.ShellLine(texts)
}

// maxElsewise is how many tests a note about a pass in another way names.
const maxElsewise = 5

// elsewiseNotes say of tests that passed that they stay outstanding, since they were
// red in another way.
func elsewiseNotes(left []rerun.Entry) []string {
	by := map[string][]rerun.Entry{}
	for _, e := range left {
		by[wayWords(e.Way)] = append(by[wayWords(e.Way)], e)
	}
	var notes []string
	for _, way := range slices.Sorted(maps.Keys(by)) {
		var names []string
		for _, e := range by[way][:min(len(by[way]), maxElsewise)] {
			names = append(names, report.QualifiedName(e.Suite, e.Test.Test))
		}
		list := strings.Join(names, ", ")
		if more := len(by[way]) - len(names); more > 0 {
			list += fmt.Sprintf(" and %d more", more)
		}
		count, verb := rerun.Set{Entries: by[way]}.Counts(), "was"
		if len(by[way]) > 1 {
			verb = "were"
		}
		notes = append(notes, fmt.Sprintf("%s%s passed here, and %s red with %s, where nothing shows a pass: %s; `proctor rerun` asks again as before", report.PassedOtherwise, count, verb, way, list))
	}
	return notes
}

// rerunPart is a part of a rerun: what was red in one way, in a run of its own.
type rerunPart struct {
	choice
	number, of int
	// before are the parts that have run, next is what follows.
	before []record.Run
	next   []choice
}

// notes say of which rerun a run is a part, and what became of the others: a run that
// passed must not be taken for all of it.
func (p rerunPart) notes() []string {
	var notes []string
	if len(p.changed) > 0 {
		notes = append(notes, "run with "+strings.Join(p.changed, " ")+", as when these tests were red")
	}
	if p.of == 1 {
		return notes
	}
	text := fmt.Sprintf("part %d of %d of this rerun: what was red with %s", p.number, p.of, wayWords(p.way))
	for _, run := range p.before {
		text += fmt.Sprintf("; run %s before it: %s: %s", run.RunID, run.Verdict, run.Reason)
	}
	if len(p.next) > 0 {
		text += "; what was red with " + wayWords(p.next[0].way) + " runs next"
	}
	return append(notes, text)
}

// notNext leaves out what the rerun comes to after this run.
func (f *finisher) notNext(left []rerun.Entry) []rerun.Entry {
	return slices.DeleteFunc(left, func(e rerun.Entry) bool {
		return slices.ContainsFunc(f.next, func(w *rerun.Way) bool { return w.Proves(e.Way) })
	})
}

// worst is the run of a rerun to go on with: the last one that is no pass, else the last.
func worst(runs []record.Run) int {
	for i, run := range slices.Backward(runs) {
		if isRed(run.Verdict) {
			return i
		}
	}
	return len(runs) - 1
}
