package conform

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/proctorhq/proctor/internal/lazyregexp"
	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/plugintest/golden"
)

// checkUnasked finds commands that leave coverage which nobody requested.
func checkUnasked(p *probe, what string, plan sdk.Plan) {
	if slices.ContainsFunc(plan.Commands, func(c sdk.Command) bool { return c.Covers }) {
		p.fail(what+" has a command that leaves coverage", "set covers only in answers to IndexCmd, and to TestCmd with cover; a host rejects it elsewhere")
	}
}

// checkCover compares a run that measures with one that does not.
func checkCover(ctx context.Context, s *subject, p *probe) {
	if !s.identity.Cover {
		p.exempt("the plugin does not declare CAPABILITY_COVER")
		return
	}
	if !s.hasWorkspace(p) {
		return
	}
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var plans [2]sdk.Plan
	for i := range plans {
		var err error
		if plans[i], err = s.detector.TestCmd(limited, sdk.TestRequest{Workspace: s.Workspace, Cover: i == 1}); err != nil {
			s.reportRefused(ctx, p, "TestCmd for everything in the workspace", err)
			return
		}
	}
	without, with := plans[0], plans[1]
	checkPlan(p, with)
	if !slices.ContainsFunc(with.Commands, func(c sdk.Command) bool { return c.Covers }) {
		p.fail("TestCmd with cover has no command that leaves coverage", "set covers, or do not declare CAPABILITY_COVER")
	}
	if a, b := targetsOf(without), targetsOf(with); !reflect.DeepEqual(a, b) || !reflect.DeepEqual(without.NarrowedBy, with.NarrowedBy) {
		p.fail(fmt.Sprintf("with cover the run has the targets %v and is narrowed by %q; without, %v and %q", b, with.NarrowedBy, a, without.NarrowedBy),
			"run the same tests, and measure them")
	}
	checkScratch(ctx, s, p, with)
}

// targetsOf returns what a plan runs, in whatever commands.
func targetsOf(plan sdk.Plan) map[sdk.TestID]bool {
	ids := map[sdk.TestID]bool{}
	for _, c := range plan.Commands {
		for _, id := range c.Targets {
			ids[id] = true
		}
	}
	return ids
}

// checkIndex requests the commands that measure a suite of a case.
func checkIndex(ctx context.Context, s *subject, p *probe) {
	if !s.identity.Index {
		p.exempt("the plugin does not declare CAPABILITY_INDEX")
		return
	}
	if !s.hasWorkspace(p) {
		return
	}
	suite := s.knownSuite()
	if suite == "" {
		p.skip("no case names a suite: write one into a want.json")
		return
	}
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	plan, err := s.detector.IndexCmd(limited, sdk.IndexRequest{Workspace: s.Workspace, Suites: []string{suite}})
	if err != nil {
		s.reportRefused(ctx, p, fmt.Sprintf("IndexCmd for the suite %.100q", suite), err)
		return
	}
	checkPlan(p, plan)
	if len(plan.Commands) == 0 {
		p.skip(fmt.Sprintf("IndexCmd has no command for the suite %.100q: record cases in the workspace, or fix IndexCmd", suite))
		return
	}
	for i, c := range plan.Commands {
		if !c.Covers && !c.Prepares {
			p.fail(fmt.Sprintf("commands[%d] of IndexCmd leaves no coverage", i), "set covers: how the tests of such a command end proves nothing")
		}
	}
	checkScratch(ctx, s, p, plan)
}

// inScratch matches the names that a command writes in its scratch directory.
var inScratch = lazyregexp.New(`\{scratch\}[/\\]([A-Za-z0-9_.-]+)`)

// checkScratch makes the plugin read the commands' coverage from directories where it
// is missing or damaged.
func checkScratch(ctx context.Context, s *subject, p *probe, plan sdk.Plan) {
	for i, c := range plan.Commands {
		if !c.Covers {
			continue
		}
		dir, err := os.MkdirTemp("", "kit")
		if err != nil {
			p.skip("cannot make a directory: " + err.Error())
			return
		}
		defer func() { _ = os.RemoveAll(dir) }()
		empty, damaged := filepath.Join(dir, "empty"), filepath.Join(dir, "damaged")
		if err := fillScratch(c, empty, damaged); err != nil {
			p.skip("cannot make a directory: " + err.Error())
			return
		}
		for _, scratch := range []struct{ what, path string }{
			{"a missing directory", filepath.Join(dir, "absent")}, {"an empty directory", empty}, {"damaged files", damaged},
		} {
			if !readScratch(ctx, s, p, fmt.Sprintf("ParseCoverage of commands[%d] with %s", i, scratch.what), c, scratch.path) {
				return
			}
		}
	}
}

// fillScratch writes garbage under every name that the command mentions.
func fillScratch(c sdk.Command, empty, damaged string) error {
	if err := os.Mkdir(empty, 0o700); err != nil {
		return err
	}
	if err := os.Mkdir(damaged, 0o700); err != nil {
		return err
	}
	texts := slices.Clone(c.Argv)
	for _, value := range c.Env {
		texts = append(texts, value)
	}
	names := []string{"garbage"}
	for _, text := range texts {
		for _, match := range inScratch.FindAllStringSubmatch(text, -1) {
			names = append(names, match[1])
		}
	}
	for _, name := range names {
		if name == "." || name == ".." {
			continue
		}
		if err := os.WriteFile(filepath.Join(damaged, name), []byte("mode: set\n{\xff\x00\na.x:1.1,2 1"), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// readScratch reads a directory without usable coverage.
func readScratch(ctx context.Context, s *subject, p *probe, what string, c sdk.Command, scratch string) bool {
	limited, cancel := context.WithTimeout(ctx, s.ParseLimit)
	defer cancel()
	var got golden.Coverage
	err := s.detector.ParseCoverage(limited, sdk.CoverageRequest{Workspace: s.Workspace, Command: c, Scratch: scratch, Exit: sdk.Exit{Code: 1}}, &got)
	if err != nil {
		s.reportBroken(ctx, p, what, err)
		return false
	}
	reported := len(got.Errors) > 0
	for _, suite := range got.Suites {
		reported = reported || suite.Granularity == sdk.CoverageNone && suite.Why != ""
		if suite.Granularity == sdk.CoveragePerTest || len(suite.Tests) > 0 {
			p.fail(fmt.Sprintf("%s: the plugin claims to know which tests of %.100q execute what", what, suite.Suite), "report what was measured, and nothing else")
		}
	}
	if !reported {
		p.fail(what+": the plugin does not report that anything is missing", "report an error, or the suite as not measured with the reason")
	}
	return true
}
