package query

import (
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/prose"
)

const (
	// linesBefore is how many lines are shown before a failing one, maxDeclared how many of
	// a test if it is only known where that is declared.
	linesBefore = 2
	maxDeclared = 10
	// maxExcerpts bounds the places that are looked up, maxSourceBytes a file, and
	// maxSourceLine a line of it.
	maxExcerpts    = 20
	maxSourceBytes = 1 << 20
	maxSourceLine  = 400
	// clockGrain is how far behind the clock a file system may stamp a change.
	clockGrain = time.Second
)

// Excerpts reads the lines around the places where tests of a run failed, if the files
// are still as the run saw them. It omits what cannot be read.
func Excerpts(ctx context.Context, k *ledger.Keeper, run api.Run) []api.Excerpt {
	if run.Source == nil || run.Origin != "" {
		return nil // the sources here may not be those of the run
	}
	type place struct {
		file string
		line int
	}
	seen, told := map[place]bool{}, map[string]bool{}
	s := sources{ctx: ctx, keeper: k, run: run, files: map[string]*sourceFile{}}
	var found []api.Excerpt
	for _, f := range run.Failures {
		at := place{f.File, f.Line}
		if f.File == "" || f.Line <= 0 || seen[at] || told[f.Signature] {
			continue
		}
		told[f.Signature] = f.Signature != "" // one place of a cause is enough
		if len(seen) == maxExcerpts {
			break
		}
		seen[at] = true
		if e, ok := s.makeExcerpt(f); ok {
			found = append(found, e)
		}
	}
	return found
}

// Sources returns a reader of the lines of source files, for those that still are what a run
// saw.
func Sources(ctx context.Context, k *ledger.Keeper, run api.Run) func(name string) (lines []string, ok bool) {
	s := sources{ctx: ctx, keeper: k, run: run, files: map[string]*sourceFile{}}
	return func(name string) ([]string, bool) {
		f := s.findFile(name)
		return f.lines, f.ok && !f.edited
	}
}

// sources reads files of a run's workspace, each once.
type sources struct {
	ctx    context.Context
	keeper *ledger.Keeper
	run    api.Run
	files  map[string]*sourceFile
	// state is the state that the run saw; nil until looked up, valid if known.
	state *fingerprint.State
	known bool
	// below is the path of the workspace within that state.
	below string
}

// sourceFile is a file that was read.
type sourceFile struct {
	lines  []string
	edited bool
	ok     bool
}

func (s *sources) makeExcerpt(failure api.Failure) (api.Excerpt, bool) {
	line := failure.Line
	f := s.findFile(failure.File)
	e := api.Excerpt{File: failure.File, Line: line, Edited: f.edited, Declared: failure.Precision.IsDeclaration()}
	switch {
	case !f.ok:
		return e, false
	case f.edited:
		return e, true
	case line > len(f.lines):
		return e, false
	case e.Declared:
		e.Lines = slices.Clone(linesOfTest(f.lines[line-1:]))
	default:
		e.Lines = slices.Clone(f.lines[max(line-1-linesBefore, 0):line])
	}
	return e, true
}

// linesOfTest returns the first lines of a test, whose declaration is the first of lines. By
// its indentation it ends before a line that is indented no deeper than the declaration, or
// with that if it only closes brackets.
func linesOfTest(lines []string) []string {
	depth := indentation(lines[0])
	for i, l := range lines[:min(len(lines), maxDeclared)] {
		if text := strings.TrimSpace(l); i == 0 || text == "" || indentation(l) > depth {
			continue
		} else if strings.Trim(text, "{}()[];,") != "" {
			return lines[:i]
		} else if text != "{" {
			return lines[:i+1]
		}
	}
	return lines[:min(len(lines), maxDeclared)]
}

func indentation(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

func (s *sources) findFile(name string) *sourceFile {
	f := s.files[name]
	if f == nil {
		f = s.readFile(name)
		s.files[name] = f
	}
	return f
}

// readFile reads a file, and decides whether it is what the run saw.
func (s *sources) readFile(name string) *sourceFile {
	content, touched, err := fingerprint.ReadFile(s.run.Workspace, name, maxSourceBytes)
	if err != nil || slices.Contains(content, 0) {
		return &sourceFile{}
	}
	f := &sourceFile{ok: true}
	if !touched.Before(s.run.StartedAt.Add(-clockGrain)) {
		saw, known := s.sawContent(name, content)
		f.edited, f.ok = !saw, known
	}
	if !f.edited {
		for l := range strings.SplitSeq(string(content), "\n") {
			f.lines = append(f.lines, strings.TrimRight(prose.Head(l, maxSourceLine), "\r"))
		}
	}
	return f
}

// sawContent reports whether the run saw a file with this content; known is false if that
// is not on record.
func (s *sources) sawContent(name string, content []byte) (saw, known bool) {
	if s.run.MixedState {
		return false, true
	}
	if s.state == nil {
		s.state = &fingerprint.State{}
		_, led, err := ledger.Lookup(s.ctx, s.keeper, api.LastRun{Where: api.Where{Dir: s.run.Workspace, Exact: true}, Ref: s.run.RunID})
		if err == nil {
			*s.state, s.known, _ = led.State(s.ctx, s.run.Source.Fingerprint)
			s.below, _ = filepath.Rel(s.state.Top, ledger.RootIn(led, s.state.Top))
		}
	}
	if !s.known {
		return false, false
	}
	name = path.Join(filepath.ToSlash(s.below), name)
	f, listed := s.state.Find(name) // git may ignore it, or a link lead there
	return listed && f.Holds(content), listed
}
