package plugintest

import (
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/sdk"
)

func (s *suite) describe(t *testing.T) {
	id := s.identity(t)
	if !regexp.MustCompile(`^[a-z][a-z0-9-]*$`).MatchString(id.Name) {
		t.Errorf("name %q: it is part of a file name, so lower-case letters, digits and dashes", id.Name)
	}
	if id.Version == "" {
		t.Error("no version")
	}
	if id.Language == "" || id.Language != strings.ToLower(id.Language) {
		t.Errorf("language %q: users type it after --lang, in lower case", id.Language)
	}
	for _, name := range slices.Concat(id.Markers, id.Tools) {
		if name == "" || strings.ContainsAny(name, `/\`) {
			t.Errorf("marker or tool %q: a plain name, without directories", name)
		}
	}
	for _, name := range id.Env {
		if name == "" || strings.ContainsAny(name, "=\x00") {
			t.Errorf("environment variable %q is no name", name)
		}
	}
}

func (s *suite) commands(t *testing.T) {
	if s.Workspace.Root == "" {
		t.Skip("no workspace given")
	}
	plan, err := s.detector.TestCmd(t.Context(), sdk.TestRequest{Workspace: s.Workspace})
	if err != nil {
		t.Fatalf("TestCmd for everything in the workspace: %v", err)
	}
	if len(plan.Commands) == 0 {
		t.Fatal("no commands for everything in the workspace")
	}
	checkCommands(t, plan)
}

// reruns asks for each recording's failed tests, alone and widened.
func (s *suite) reruns(t *testing.T) {
	if s.Workspace.Root == "" {
		t.Skip("no workspace given")
	}
	s.eachRecording(t, func(t *testing.T, r Recording) {
		targets := failed(Parse(t, s.detector, r, WholeChunks))
		for _, widen := range []bool{false, true} {
			plan, err := s.detector.RerunCmd(t.Context(), sdk.RerunRequest{Workspace: s.Workspace, Targets: targets, Widen: widen})
			var refusal *sdk.Error
			if err != nil && !errors.As(err, &refusal) {
				t.Fatalf("RerunCmd of %v: %v", targets, err)
			}
			checkCommands(t, plan)
			for _, c := range plan.Commands {
				for _, id := range c.Targets {
					if !slices.Contains(targets, id) && !widen {
						t.Errorf("%q runs %v, which was not asked for", c.Argv, id)
					}
				}
			}
		}
	})
}

// failed returns the tests to rerun after a run.
func failed(events *Events) []sdk.TestID {
	var ids []sdk.TestID
	for _, test := range events.Tests {
		if test.Status == sdk.Failed && !test.Derived {
			ids = append(ids, test.ID)
		}
	}
	return ids
}

// checkCommands holds commands against what a host accepts.
func checkCommands(t *testing.T, plan sdk.Plan) {
	t.Helper()
	for _, c := range plan.Commands {
		if len(c.Argv) == 0 || c.Argv[0] == "" {
			t.Errorf("a command without a program: %+v", c)
			continue
		}
		if strings.ContainsAny(c.Argv[0], " \t\n;|&$`'\"<>*?()") {
			t.Errorf("program %q: commands are executed without a shell", c.Argv[0])
		}
		if c.Dir != "" && !filepath.IsLocal(filepath.FromSlash(c.Dir)) {
			t.Errorf("directory %q of %q leaves the workspace", c.Dir, c.Argv)
		}
		for _, arg := range c.Argv {
			if strings.ContainsRune(arg, 0) {
				t.Errorf("argument %q holds a NUL, which no system takes", arg)
			}
		}
		for name := range c.Env {
			if name == "" || strings.ContainsAny(name, "=\x00") {
				t.Errorf("environment variable %q is no name", name)
			}
		}
		for _, input := range c.Inputs {
			if input.Name == "" || input.Name != filepath.Base(input.Name) || strings.ContainsAny(input.Name, `/\`) {
				t.Errorf("input %q: a plain file name, without directories", input.Name)
			}
		}
	}
}
