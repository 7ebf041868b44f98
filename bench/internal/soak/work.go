package soak

import (
	"context"
	"slices"
	"strconv"
	"strings"
)

// none means no arguments.
var none map[string]any

// checkGreen runs everything while nothing is broken.
func (d *day) checkGreen(ctx context.Context) error {
	d.report.Runs++
	r, err := d.call(ctx, d.main, "run_tests", none)
	if err != nil {
		return err
	}
	if r.Status != "passed" || r.Counts.Passed != passing || len(r.Failures) > 0 || r.Outstanding != 0 {
		return wrongAnswer("run_tests without a fault", r, "%d passes and nothing outstanding", passing)
	}
	return nil
}

// checkRed runs what is broken and queries it in every way.
func (d *day) checkRed(ctx context.Context, f fault) error {
	args := none
	if d.round%2 == 1 {
		args = map[string]any{"affected": "HEAD"}
	}
	d.report.Runs++
	ran, err := d.call(ctx, d.main, "run_tests", args)
	if err != nil {
		return err
	}
	if err := checkFailures("run_tests", ran, f); err != nil {
		return err
	}
	last, err := d.call(ctx, d.main, "last_test_failures", none)
	if err != nil {
		return err
	}
	if err := checkFailures("last_test_failures", last, f); err != nil {
		return err
	}
	if last.RunID != ran.RunID {
		return wrongAnswer("last_test_failures", last, "the failures of run %s", ran.RunID)
	}
	if err := d.query(ctx, f); err != nil {
		return err
	}
	d.report.Runs++
	again, err := d.call(ctx, d.main, "run_failing_tests", none)
	if err != nil {
		return err
	}
	d.lastRed = again.RunID
	return checkFailures("run_failing_tests", again, f)
}

// checkFailures checks that a result has exactly the failures of a fault.
func checkFailures(what string, r reply, f fault) error {
	want := slices.Sorted(slices.Values(f.red))
	if r.Status != f.status || !slices.Equal(r.red(), want) {
		return wrongAnswer(what, r, "%s, with %q", f.status, want)
	}
	return nil
}

// query asks everything that can be asked without running tests.
func (d *day) query(ctx context.Context, f fault) error {
	if f.asked != "" {
		out, err := d.call(ctx, d.main, "get_test_output", map[string]any{"test": f.asked})
		if err != nil {
			return err
		}
		if !strings.Contains(out.Text, f.says) {
			return wrongAnswer("get_test_output", out, "%q", f.says)
		}
		why, err := d.call(ctx, d.main, "why_failing", map[string]any{"test": f.asked})
		if err != nil {
			return err
		}
		// A test that never passed has no sources on which it passed.
		if !f.added && (len(why.Suspects) == 0 || why.Suspects[0].File != f.file) {
			return wrongAnswer("why_failing", why, "%s as the first suspect", f.file)
		}
		past, err := d.call(ctx, d.main, "test_history", map[string]any{"test": f.asked})
		if err != nil {
			return err
		}
		if len(past.Timeline) == 0 || past.Timeline[0].Status != "failed" {
			return wrongAnswer("test_history", past, "failed as the latest result")
		}
	}
	if f.line > 0 {
		c, err := d.call(ctx, d.main, "tests_covering", map[string]any{"file": f.file, "lines": strconv.Itoa(f.line)})
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(c.Tests, func(t struct{ Suite, Test string }) bool { return t.Test == f.covering }) {
			return wrongAnswer("tests_covering "+f.file, c, "%s among the tests", f.covering)
		}
	}
	_, err := d.call(ctx, d.main, "workspace_info", none)
	return err
}

// fix removes the fault, and checks that what was red is green and nothing is outstanding.
func (d *day) fix(ctx context.Context, f fault) error {
	if err := d.restore(f); err != nil {
		return err
	}
	d.report.Runs++
	r, err := d.call(ctx, d.main, "run_failing_tests", none)
	if err != nil {
		return err
	}
	if f.added { // the test was removed, which is not a pass
		if r.Status == "passed" || len(r.Failures) > 0 {
			return wrongAnswer("run_failing_tests without the test", r, "neither a pass nor a failure")
		}
		return nil
	}
	if r.Status != "passed" || len(r.Failures) > 0 || r.Outstanding != 0 {
		return wrongAnswer("run_failing_tests of what was fixed", r, "a pass, and nothing outstanding")
	}
	return nil
}

// visit starts another client, which continues with what the first one left red, and then
// ends.
func (d *day) visit(ctx context.Context, f fault) error {
	s, err := d.serve(ctx)
	if err != nil {
		return err
	}
	d.report.Runs++
	r, err := d.call(ctx, s, "run_failing_tests", map[string]any{"run_id": d.lastRed})
	if err == nil {
		err = checkFailures("run_failing_tests of a new session", r, f)
	}
	if cerr := s.session.Close(); err == nil {
		err = cerr
	}
	return err
}
