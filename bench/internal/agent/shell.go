package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Shell does the job with `go test` in a shell, where an agent reads everything that is
// printed; asJSON uses `go test -json`. It reruns failed tests by name, and as a whole
// the packages that did not build or that a panic ended.
func (j Job) Shell(ctx context.Context, asJSON bool) (Report, error) {
	began := time.Now()
	s := &shell{dir: j.Dir, asJSON: asJSON, reader: reader{kept: j.Kept}}
	err := j.work(ctx, s)
	return Report{Read: s.cost, Wall: time.Since(began)}, err
}

type shell struct {
	reader
	dir    string
	asJSON bool
	red    red
}

func (s *shell) everything(ctx context.Context) (result, error) {
	return s.test(ctx, []string{"./..."})
}

func (s *shell) failing(ctx context.Context) (result, error) {
	var commands [][]string
	if len(s.red.whole) > 0 {
		commands = append(commands, s.red.whole)
	}
	if len(s.red.tests) > 0 {
		commands = append(commands, append([]string{"-run", "^(" + strings.Join(s.red.tests, "|") + ")$"}, s.red.suites...))
	}
	return s.test(ctx, commands...)
}

// more returns nothing: everything that was printed has been read.
func (s *shell) more(context.Context) (result, error) { return result{}, nil }

// test runs go test, once for each list of arguments.
func (s *shell) test(ctx context.Context, commands ...[]string) (result, error) {
	r := result{passed: true}
	s.red = red{}
	for _, args := range commands {
		argv := []string{"test", "-count=1"}
		if s.asJSON {
			argv = append(argv, "-json")
		}
		cmd := exec.CommandContext(ctx, "go", append(argv, args...)...)
		cmd.Dir = s.dir
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			return result{}, err
		}
		if err := s.read(cmd.String(), string(out)); err != nil {
			return result{}, err
		}
		if err == nil {
			continue
		}
		r.passed = false
		r.complaints = append(r.complaints, string(out))
		text := string(out)
		if s.asJSON {
			text = attributedOutput(out)
		}
		s.red.add(text)
	}
	return r, nil
}

// attributedOutput returns the output that `go test -json` attributes, package by package. It
// leaves out lines that are not events, which say nothing about tests.
func attributedOutput(out []byte) string {
	type event struct{ Package, ImportPath, Output string }
	byPackage := map[string]*strings.Builder{}
	var order []string
	for line := range bytes.Lines(out) {
		var e event
		if json.Unmarshal(line, &e) != nil || e.Output == "" {
			continue
		}
		suite, _, _ := strings.Cut(e.Package+e.ImportPath, " ") // a build's is "pkg [pkg.test]"
		if byPackage[suite] == nil {
			byPackage[suite] = &strings.Builder{}
			order = append(order, suite)
		}
		byPackage[suite].WriteString(e.Output)
	}
	var text strings.Builder
	for _, suite := range order {
		text.WriteString(byPackage[suite].String())
	}
	return text.String()
}

// red is what must be rerun.
type red struct {
	whole  []string // packages
	tests  []string // top-level tests
	suites []string // the packages of these
}

var (
	failedTest    = regexp.MustCompile(`^--- FAIL: ([^\s/]+)`) // a subtest's parent
	failedPackage = regexp.MustCompile(`^FAIL\t(\S+)`)
	panicking     = regexp.MustCompile(`^goroutine \d+ \[running\]:`)
)

// add parses what go test printed about packages, one after another.
func (r *red) add(text string) {
	var tests []string
	panicked := false
	for line := range strings.Lines(text) {
		if m := failedTest.FindStringSubmatch(line); m != nil {
			tests = append(tests, m[1])
		} else if panicking.MatchString(line) {
			panicked = true
		} else if strings.HasPrefix(line, "ok  \t") {
			tests, panicked = nil, false
		} else if m := failedPackage.FindStringSubmatch(line); m != nil {
			if panicked || len(tests) == 0 {
				r.whole = append(r.whole, m[1])
			} else {
				r.suites = append(r.suites, m[1])
				r.tests = append(r.tests, tests...)
			}
			tests, panicked = nil, false
		}
	}
	slices.Sort(r.tests)
	r.tests = slices.Compact(r.tests)
}
