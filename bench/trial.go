package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/bench/internal/edit"
	"github.com/proctorhq/proctor/bench/internal/measure"
	"github.com/proctorhq/proctor/bench/internal/outcome"
)

// trial is a series of edits of one module.
type trial struct {
	work
	caches caches
	prepared
	random *rand.Rand

	edits, effective, broken, everything, misses, green int
	shares                                              []float64
	// single and others are what the programs took after edits of one line of Go, and after
	// all others.
	single, others []taken
}

// taken is how long the programs took after an edit: proctor, a full run, and one that takes
// unchanged results from the go command's cache; that is measured after some edits only.
type taken struct{ proctor, full, cached measure.Sample }

// prepared is what is known of an unedited module.
type prepared struct {
	Base outcome.Suites
	// Unstable are tests that ended in two ways.
	Unstable []outcome.Test
	// Timeout is how long the tests of a package may take, so that an edit that makes one
	// hang costs little.
	Timeout time.Duration
}

// newTrial prepares a module, unless the directory has it from an earlier round.
func (b *bench) newTrial(ctx context.Context, module string) (*trial, error) {
	t := &trial{work: b.workAt(module), random: rand.New(rand.NewPCG(b.seed, 1))}
	t.caches = caches{filepath.Join(filepath.Dir(t.dir), "caches", flat(module))}
	file := t.kept + ".json"
	if text, err := os.ReadFile(file); err == nil {
		if err := json.Unmarshal(text, &t.prepared); err != nil {
			return nil, err
		}
		return t, t.restore(ctx)
	}
	if err := t.prepare(ctx, module); err != nil {
		return nil, err
	}
	text, err := json.Marshal(t.prepared)
	if err != nil {
		return nil, err
	}
	return t, os.WriteFile(file, text, 0o644)
}

// prepare runs and indexes a module, and keeps what its builds left.
func (t *trial) prepare(ctx context.Context, module string) error {
	caches, err := newCaches(ctx, filepath.Dir(t.caches.dir), flat(module))
	if err != nil {
		return err
	}
	var took time.Duration
	if t.work, t.Base, took, err = t.newWork(ctx, module, caches.env(byProctor)); err != nil {
		return err
	}
	t.Timeout = max(time.Minute, 2*took).Round(time.Second)
	// The second run leaves results in the cache.
	out, sample, err := t.goTest(ctx, byProctor, "./...")
	if err != nil {
		return err
	}
	again, err := outcome.Read(out)
	if err != nil {
		return err
	}
	t.Unstable, _ = again.Changed(t.Base, nil)
	fmt.Fprintf(t.log, "%s: its tests took %s and %s; %d ended in two ways\n", module, took.Round(time.Second), sample.Wall.Round(time.Second), len(t.Unstable))
	t.env = t.environment(byProctor)
	if err := t.index(ctx); err != nil {
		return err
	}
	return caches.keep()
}

// environment is an addition to the environment of a program.
func (t *trial) environment(program string) []string {
	return []string{t.caches.env(program), "GOFLAGS=" + strings.TrimSpace(os.Getenv("GOFLAGS")+" -timeout="+t.Timeout.String())}
}

// goTest runs go test -json with some more arguments.
func (t *trial) goTest(ctx context.Context, program string, args ...string) ([]byte, measure.Sample, error) {
	return measure.Record(ctx, measure.Command{
		Argv: append([]string{"go", "test", "-json"}, args...), Dir: t.dir, Env: t.environment(program), Exits: []int{0, 1, 2},
	})
}

// everyCached is after how many edits the go command's cache of results is measured too.
const everyCached = 3

// tryEdit makes one edit, compares, and reverts it. Each program builds for itself, with what
// building the unedited module left; they take turns in going first.
func (t *trial) tryEdit(ctx context.Context) error {
	module, err := edit.Open(t.dir)
	if err != nil {
		return err
	}
	what, err := module.Random(t.random)
	if err != nil {
		return err
	}
	isSingle, err := t.isSingleLine(ctx)
	if err != nil {
		return err
	}
	var now outcome.Suites
	var run affectedRun
	var took taken
	turns := []func() error{func() (err error) {
		run, took.proctor, err = t.runAffected(ctx)
		return err
	}, func() error {
		out, sample, err := t.alone(ctx, byGo, "-count=1", "./...")
		if err == nil {
			now, err = outcome.Read(out)
		}
		took.full = sample
		return err
	}}
	if t.edits%everyCached == 0 {
		turns = append(turns, func() (err error) {
			_, took.cached, err = t.alone(ctx, byGoCached, "./...")
			return err
		})
	}
	if t.edits%2 == 1 {
		slices.Reverse(turns)
	}
	for _, turn := range turns {
		if err := turn(); err != nil {
			return err
		}
	}
	if err := now.Complete(ctx, t.dir, t.Base, "GOCACHE="+t.caches.kept()); err != nil {
		return err
	}
	if err := t.judge(ctx, what, now, run); err != nil {
		return err
	}
	t.shares = append(t.shares, run.share(now))
	if isSingle {
		t.single = append(t.single, took)
	} else {
		t.others = append(t.others, took)
	}
	fmt.Fprintf(t.log, "   %.2fx wall, %.2fx CPU: proctor %.2f s (CPU %.2f), full %.2f s (CPU %.2f), cached %.2f s; one line: %v; %d built only\n",
		took.proctor.Wall.Seconds()/took.full.Wall.Seconds(), took.proctor.CPU.Seconds()/took.full.CPU.Seconds(), took.proctor.Wall.Seconds(), took.proctor.CPU.Seconds(),
		took.full.Wall.Seconds(), took.full.CPU.Seconds(), took.cached.Wall.Seconds(), isSingle, len(run.Affected.BuildOnly))
	return t.restore(ctx)
}

// isSingleLine reports whether the edit is one line of a Go file that is gone, new or different.
func (t *trial) isSingleLine(ctx context.Context) (bool, error) {
	status, err := t.askGit(ctx, "status", "--porcelain")
	if err != nil || strings.Count(status, "\n") != 1 || !strings.HasSuffix(status, ".go\n") || !strings.HasPrefix(status, " M ") {
		return false, err
	}
	lines, err := t.askGit(ctx, "diff", "--numstat")
	added, rest, _ := strings.Cut(lines, "\t")
	removed, _, _ := strings.Cut(rest, "\t")
	return len(added) == 1 && len(removed) == 1 && added <= "1" && removed <= "1", err
}

// alone runs go test in a cache that holds what building the unedited module left.
func (t *trial) alone(ctx context.Context, program string, args ...string) ([]byte, measure.Sample, error) {
	if err := t.caches.renew(program); err != nil {
		return nil, measure.Sample{}, err
	}
	out, sample, err := t.goTest(ctx, program, args...)
	return out, sample, cmp.Or(err, t.caches.drop(program))
}

// runAffected has proctor run what the edit can break.
func (t *trial) runAffected(ctx context.Context) (run affectedRun, took measure.Sample, err error) {
	if err := t.caches.renew(byProctor); err != nil {
		return run, took, err
	}
	t.env = t.environment(byProctor)
	command := t.command("run", "--affected", "--json")
	command.Exits = []int{0, 1, 3, 4, 6}
	out, took, err := measure.Record(ctx, command)
	if err = cmp.Or(err, t.caches.drop(byProctor)); err != nil {
		return run, took, err
	}
	if err := json.Unmarshal(out, &run); err != nil {
		return run, took, fmt.Errorf("%w: %.500s", err, out)
	}
	return run, took, nil
}

// judge compares what ran with the tests whose outcome changed.
func (t *trial) judge(ctx context.Context, what string, now outcome.Suites, run affectedRun) error {
	unstable := map[outcome.Test]bool{}
	for _, test := range t.Unstable {
		unstable[test] = true
	}
	tests, broken := now.Changed(t.Base, unstable)
	var missed []string
	red := len(broken) > 0
	for _, test := range tests {
		red = red || now[test.Suite].Tests[test.Name] == outcome.Failed
		if !run.has(test) {
			missed = append(missed, fmt.Sprintf("%s %s: %s, was %s", test.Suite, test.Name, now[test.Suite].Tests[test.Name], t.Base[test.Suite].Tests[test.Name]))
		}
	}
	for _, suite := range broken {
		if !run.builds(suite) {
			missed = append(missed, suite+" is not built")
		}
	}
	t.edits++
	if len(tests)+len(broken) > 0 {
		t.effective++
	}
	if len(broken) > 0 {
		t.broken++
	}
	if run.Affected.Everything != "" {
		t.everything++
	}
	if red && (run.Verdict == "passed" || run.Verdict == "nothing_ran") {
		t.green++
		missed = append(missed, "the verdict is "+run.Verdict)
	}
	fmt.Fprintf(t.log, "%d: %s: %d ended differently, %d not built, %d%% run, %s\n", t.edits, what, len(tests), len(broken), int(100*run.share(now)), run.Verdict)
	if len(missed) > 0 {
		t.misses++
		diff, _ := exec.CommandContext(ctx, "git", "-C", t.dir, "diff").Output()
		fmt.Fprintf(t.log, "MISSED\n%s\nafter\n%.4000s\n", strings.Join(missed, "\n"), diff)
	}
	return nil
}

// report adds the goals, prints what was found, and returns the median of the ratios after edits
// of one line; 0 if there was none.
func (t *trial) report(module string) float64 {
	fmt.Fprintf(t.out, "\n| random edits of %s | |\n|---|---|\n", module)
	walls := ratios(t.single, measure.Wall, toFull)
	for _, row := range []struct {
		what string
		got  any
	}{
		{"edits", t.edits}, {"after which tests ended differently, or something was not built", t.effective}, {"after which something was not built", t.broken},
		{"after which a changed outcome was not run", t.misses}, {"after which a red module passed", t.green}, {"for which everything was chosen", t.everything},
		{"share of the tests that ran, median", fmt.Sprintf("%.0f %%", 100*measure.Median(t.shares))},
		{"edits of one line of Go", len(t.single)},
		{"after these, to `go test -json -count=1 ./...`, median: wall", fmt.Sprintf("%.2f×", measure.Median(walls))},
		{"CPU", fmt.Sprintf("%.2f×", measure.Median(ratios(t.single, measure.CPU, toFull)))},
		{"after these, wall to `go test -json ./...`, which takes results from its cache", fmt.Sprintf("%.2f×", measure.Median(ratios(t.single, measure.Wall, toCached)))},
		{"after all edits, wall to `go test -json -count=1 ./...`, median", fmt.Sprintf("%.2f×", measure.Median(ratios(slices.Concat(t.single, t.others), measure.Wall, toFull)))},
	} {
		fmt.Fprintf(t.out, "| %s | %v |\n", row.what, row.got)
	}
	t.goals = append(t.goals, goal{what: "run --affected, " + module + ": edits with a missed outcome", want: "0", got: fmt.Sprintf("%d of %d", t.misses, t.edits), reached: t.misses == 0})
	return measure.Median(walls)
}

func toFull(t taken) measure.Sample   { return t.full }
func toCached(t taken) measure.Sample { return t.cached }

// ratios returns what proctor took to what another took, where that was measured.
func ratios(all []taken, figure func(measure.Sample) float64, to func(taken) measure.Sample) []float64 {
	var found []float64
	for _, t := range all {
		if other := figure(to(t)); other > 0 {
			found = append(found, figure(t.proctor)/other)
		}
	}
	return found
}
