package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/prose"
)

// Environment names what a run's results depend on beside the sources. It is the same
// on two machines where what decides is the same.
func (f *Finisher) Environment() string {
	return f.Project.Setting(slices.Concat(f.RunnerArgs, f.NarrowedBy))
}

// surroundings is the environment of a run in detail: what decides, and all other
// variables that its tests could see.
func (f *Finisher) surroundings() api.Surroundings {
	s := api.Surroundings{Decides: f.Project.Decides(slices.Concat(f.RunnerArgs, f.NarrowedBy)), Variables: map[string]string{}, Args: f.ArgsKey(), Way: (*api.Way)(f.way)}
	for name, value := range s.Decides {
		if project.IsHash(value) {
			s.Decides[name] = value[:len("#")+project.SecretDigits]
		}
	}
	for _, entry := range f.Project.Environ {
		name, value, ok := strings.Cut(entry, "=")
		if _, decides := s.Decides[name]; ok && !decides && !project.IsPassing(name) && len(s.Variables) < project.MaxVariables {
			s.Variables[name] = project.Digest(value)[:project.SecretDigits]
		}
	}
	return s
}

// wayWords are the words of a way as a user reads them.
func wayWords(w *outstanding.Way) string {
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
	return prose.ShellLine(texts)
}

// maxElsewise is how many tests a note about a pass in another way names.
const maxElsewise = 5

// elsewiseNotes say of tests that passed that they stay outstanding, since they were
// red in another way.
func elsewiseNotes(left []outstanding.Entry) []api.Note {
	by := map[string][]outstanding.Entry{}
	for _, e := range left {
		by[wayWords(e.Way)] = append(by[wayWords(e.Way)], e)
	}
	var notes []api.Note
	for _, way := range slices.Sorted(maps.Keys(by)) {
		var names []string
		for _, e := range by[way][:min(len(by[way]), maxElsewise)] {
			names = append(names, prose.QualifiedName(e.Suite, e.Test.Test))
		}
		list := strings.Join(names, ", ")
		if more := len(by[way]) - len(names); more > 0 {
			list += fmt.Sprintf(" and %d more", more)
		}
		count, verb := outstanding.Set{Entries: by[way]}.Counts(), "was"
		if len(by[way]) > 1 {
			verb = "were"
		}
		notes = append(notes, api.Note{
			Code: api.NotePassedOtherwise, Advice: api.Advice{Operation: api.AdviseRerun},
			Text: fmt.Sprintf("passed with other arguments: %s passed here, and %s red with %s, where nothing shows a pass: %s", count, verb, way, list),
		})
	}
	return notes
}

// rerunPart is a part of a rerun: what was red in one way, in a run of its own.
type rerunPart struct {
	choice
	number, of int
	// before are the parts that have run, next is what follows.
	before []api.Run
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
func (f *Finisher) notNext(left []outstanding.Entry) []outstanding.Entry {
	return slices.DeleteFunc(left, func(e outstanding.Entry) bool {
		return slices.ContainsFunc(f.next, func(w *outstanding.Way) bool { return w.Proves(e.Way) })
	})
}
