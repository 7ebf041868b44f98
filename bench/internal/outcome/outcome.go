package outcome

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// How tests end.
const (
	Passed  = "pass"
	Failed  = "fail"
	Skipped = "skip"
)

// Suite is a package.
type Suite struct {
	// Built reports whether its tests could be started.
	Built bool
	// Tests are the top-level tests that the go command runs, by name: how each ended.
	Tests map[string]string
}

// Suites are packages by import path.
type Suites map[string]Suite

// event is one line of `go test -json`.
type event struct {
	Action, Package, Test, FailedBuild, Output string
}

// Of runs all tests of a module, with an addition to the environment.
func Of(ctx context.Context, dir string, env ...string) (Suites, time.Duration, error) {
	began := time.Now()
	out, err := output(ctx, dir, env, "go", "test", "-json", "-count=1", "./...")
	took := time.Since(began)
	if err != nil {
		return nil, 0, err
	}
	suites, err := Read(out)
	if err != nil {
		return nil, 0, fmt.Errorf("go test -json in %s: %w", dir, err)
	}
	return suites, took, nil
}

// Read reads what "go test -json" printed.
func Read(out []byte) (Suites, error) {
	suites := Suites{}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var e event
		if err := dec.Decode(&e); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("%w: %.500s", err, out)
		}
		if e.Package == "" {
			continue
		}
		s, ok := suites[e.Package]
		if !ok {
			s = Suite{Built: true, Tests: map[string]string{}}
		}
		switch {
		case e.FailedBuild != "" || strings.Contains(e.Output, " [build failed]\n") || strings.Contains(e.Output, " [setup failed]\n"):
			s.Built = false
		case e.Test == "" || strings.Contains(e.Test, "/"):
		case e.Action == "run" && s.Tests[e.Test] == "":
			s.Tests[e.Test] = "run"
		case e.Action == Passed || e.Action == Failed || e.Action == Skipped:
			s.Tests[e.Test] = e.Action
		}
		suites[e.Package] = s
	}
	return suites, nil
}

// Complete runs, one by one, the tests of base that are missing in s because others ended
// their processes.
func (s Suites) Complete(ctx context.Context, dir string, base Suites, env ...string) error {
	for pkg, then := range base {
		now, ok := s[pkg]
		if !ok || !now.Built {
			continue
		}
		var missing []string
		for test := range then.Tests {
			if end := now.Tests[test]; end == "" || end == "run" {
				missing = append(missing, test)
			}
		}
		if len(missing) == 0 {
			continue
		}
		if err := now.runAlone(ctx, dir, env, pkg, missing); err != nil {
			return err
		}
	}
	return nil
}

// perTest is how long one test may take.
const perTest = 20 * time.Second

var skipLine = regexp.MustCompile(`(?m)^--- SKIP: `)

// runAlone runs tests of a package one by one. It skips tests that do not exist.
func (s Suite) runAlone(ctx context.Context, dir string, env []string, pkg string, tests []string) error {
	scratch, err := os.MkdirTemp("", "proctor-bench-outcome-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	where, err := output(ctx, dir, env, "go", "list", "-f", "{{.Dir}}", pkg)
	if err != nil {
		return err
	}
	// The program gets the name that the go command gives it, because some tests check
	// it.
	out, err := output(ctx, dir, env, "go", "test", "-c", "-o", scratch+string(filepath.Separator), pkg)
	if err != nil {
		return err
	}
	programs, err := filepath.Glob(filepath.Join(scratch, "*"))
	if err == nil && len(programs) == 0 && bytes.Contains(out, []byte("[no test files]")) {
		return nil // none of them exists
	}
	if err != nil || len(programs) != 1 {
		return fmt.Errorf("go test -c %s: %s", pkg, out)
	}
	home := strings.TrimSpace(string(where))
	slices.Sort(tests)
	for _, test := range tests {
		cmd := exec.CommandContext(ctx, programs[0], "-test.v", "-test.run", "^"+regexp.QuoteMeta(test)+"$", "-test.timeout", perTest.String())
		cmd.Dir = home
		out, err := cmd.CombinedOutput()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			s.Tests[test] = Failed
		case skipLine.Match(out):
			s.Tests[test] = Skipped
		case bytes.Contains(out, []byte("=== RUN   "+test+"\n")):
			s.Tests[test] = Passed
		default:
			delete(s.Tests, test)
		}
	}
	return nil
}

// output returns what a program prints, however it ends.
func output(ctx context.Context, dir string, env []string, program string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.Output()
	if _, ok := errors.AsType[*exec.ExitError](err); ok && ctx.Err() == nil {
		err = nil
	}
	return out, err
}

// IsRed reports whether the tests of a module fail, or take longer than this many seconds.
func IsRed(ctx context.Context, dir string, seconds int) (bool, error) {
	cmd := exec.CommandContext(ctx, "go", "test", "-count=1", fmt.Sprintf("-timeout=%ds", seconds), "./...")
	cmd.Dir = dir
	err := cmd.Run()
	if _, ok := errors.AsType[*exec.ExitError](err); ok && ctx.Err() == nil {
		return true, nil
	}
	return false, err
}

// Builds reports whether the packages of a module build, without their tests.
func Builds(ctx context.Context, dir string) bool {
	cmd := exec.CommandContext(ctx, "go", "build", "./...")
	cmd.Dir = dir
	return cmd.Run() == nil
}

// Test names a test.
type Test struct{ Suite, Name string }

// Changed returns the tests that end differently than in base or are new, and the
// suites that no longer build. It leaves out unstable tests.
func (s Suites) Changed(base Suites, unstable map[Test]bool) (tests []Test, broken []string) {
	for pkg, now := range s {
		then := base[pkg]
		if !now.Built {
			if then.Built {
				broken = append(broken, pkg)
			}
			continue
		}
		for name, end := range now.Tests {
			if end != then.Tests[name] && !unstable[Test{pkg, name}] {
				tests = append(tests, Test{pkg, name})
			}
		}
	}
	if len(s) == 0 {
		// The go command got nowhere, as with a broken module file.
		broken = slices.Collect(maps.Keys(base))
	}
	slices.SortFunc(tests, func(a, b Test) int { return strings.Compare(a.Suite+" "+a.Name, b.Suite+" "+b.Name) })
	slices.Sort(broken)
	return tests, broken
}
