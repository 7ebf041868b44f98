package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/bench/internal/agent"
	"github.com/proctorhq/proctor/bench/internal/edit"
	"github.com/proctorhq/proctor/bench/internal/outcome"
)

// faultyModules are real modules of different kinds, each tested in seconds.
const faultyModules = "github.com/gorilla/mux@v1.8.1,github.com/go-chi/chi/v5@v5.2.3,github.com/spf13/cobra@v1.10.2,github.com/spf13/pflag@v1.0.10," +
	"github.com/BurntSushi/toml@v1.5.0,github.com/Masterminds/semver/v3@v3.4.0,github.com/google/uuid@v1.6.0,github.com/tidwall/gjson@v1.18.0," +
	"github.com/hashicorp/go-version@v1.7.0,github.com/stretchr/objx@v0.5.2"

// faultTries is how many faults are tried, at most, until tests notice one: most lines of a
// source are not that well tested.
const faultTries = 60

// faultTally sums up what was read in one way of getting tests run.
type faultTally struct {
	name string
	// first is the cost of the first red answer, all the cost until green again.
	first, all agent.Cost
	// shown counts the faults whose line is in the first answer.
	shown int
}

// measureFaults makes random mistakes of one line in real modules, and measures what an agent
// reads until they are fixed if it may edit only lines that it was shown.
func measureFaults(ctx context.Context, b *bench) error {
	const leastTold = 0.8
	if err := b.checkPeers(); err != nil {
		return err
	}
	tallies := []faultTally{{name: "proctor mcp"}, {name: "proctor mcp, fault committed"}, {name: "go test -json"}, {name: "go test"}, {name: "gotestsum"}}
	kept, err := os.Create(filepath.Join(b.dir, "faults.txt"))
	if err != nil {
		return err
	}
	defer kept.Close()
	n := 0
	all := strings.Split(faultyModules, ",")
	byKind := map[string][2]int{}
	// report prints what was measured, even if an error or interrupt ended it.
	report := func(err error) error {
		if n == 0 {
			return cmp.Or(err, errors.New("no fault was noticed"))
		}
		b.printFaults(tallies, byKind, n)
		b.goals = append(b.goals, goal{what: "faults whose line is in the answer of run_tests", want: "≥ 80 %", got: fmt.Sprintf("%d of %d", tallies[0].shown, n), reached: float64(tallies[0].shown) >= leastTold*float64(n)})
		return err
	}
	for i, name := range b.realModules(faultyModules, 2) {
		// A module has the same faults whether it is measured alone or with others.
		i = max(i, slices.Index(all, name))
		random := rand.New(rand.NewPCG(b.seed, uint64(i)+2))
		w, _, _, err := b.newWork(ctx, name)
		if err == nil {
			err = w.commit(ctx)
		}
		if err != nil {
			return report(fmt.Errorf("%s: %w", name, err))
		}
		for _, kind := range kindsFor(i) {
			f, err := w.drawFault(ctx, kind, random)
			if err != nil {
				return report(fmt.Errorf("%s: %w", name, err))
			}
			if f == nil {
				fmt.Fprintf(b.log, "%s: its tests notice no %s\n", name, kind)
				continue
			}
			fmt.Fprintf(kept, "\n##### %s: %s: %s:%d %s\n", name, kind, f.File, f.Line, f.Text)
			before := tallies[0].shown
			looks, err := w.fixFault(ctx, *f, kept)
			if err != nil {
				return report(fmt.Errorf("%s: %s in %s:%d: %w", name, kind, f.File, f.Line, err))
			}
			if looks == nil {
				fmt.Fprintf(b.log, "%s: %s in %s:%d is left out: after the fix, tests still fail at times\n", name, kind, f.File, f.Line)
				continue
			}
			for i, l := range looks {
				tallies[i].add(l)
			}
			n++
			count := byKind[kind]
			byKind[kind] = [2]int{count[0] + tallies[0].shown - before, count[1] + 1}
			fmt.Fprintf(b.log, "%s: %s: %d of %d answers have the line\n", name, kind, tallies[0].shown, n)
		}
	}
	return report(nil)
}

// kindsFor spreads the kinds of faults over the modules, six for each.
func kindsFor(module int) []string {
	all, kinds := edit.FaultKinds(), []string(nil)
	for i := range 6 {
		kinds = append(kinds, all[(6*module+i)%len(all)])
	}
	return kinds
}

// commit commits everything.
func (w work) commit(ctx context.Context) error {
	for _, args := range [][]string{{"add", "-A"}, {"commit", "-q", "--allow-empty", "-m", "as it is"}} {
		if err := w.git(ctx, args...); err != nil {
			return err
		}
	}
	return nil
}

// faultLimit is how long tests run, in seconds: a fault may make them hang.
const faultLimit = 30

// drawFault makes a fault of a kind that tests notice, or returns nil if it finds none.
func (w work) drawFault(ctx context.Context, kind string, r *rand.Rand) (*edit.Fault, error) {
	m, err := edit.Open(w.dir)
	if err != nil {
		return nil, err
	}
	for range faultTries {
		f, done, err := m.Fault(kind, r)
		if err != nil {
			return nil, err
		}
		if !done {
			continue
		}
		red, err := outcome.IsRed(ctx, w.dir, faultLimit)
		if err != nil {
			return nil, err
		}
		if red && outcome.Builds(ctx, w.dir) == (kind != "build error") {
			return &f, nil
		}
		if err := f.Fix(w.dir); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// fixFault fixes one fault in each way, and returns what was read. The result is nil if tests
// still fail after the fix: they depend on time or luck.
func (w work) fixFault(ctx context.Context, f edit.Fault, kept io.Writer) (looks []agent.Look, err error) {
	path := filepath.Join(w.dir, f.File)
	wrong, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	mistake := agent.Mistake{
		Make: func() error { return os.WriteFile(path, wrong, 0o644) }, Fix: func() error { return f.Fix(w.dir) },
		Shows: func(text string) bool {
			return strings.Contains(text, f.Text) && strings.Contains(text, filepath.Base(f.File))
		},
		File: f.File, LimitS: faultLimit,
	}
	job := agent.Job{Dir: w.dir, Kept: kept}
	proctor := filepath.Join(w.bin, "proctor")
	timeout := fmt.Sprintf("-timeout=%ds", faultLimit)
	command := func(argv ...string) func() (agent.Look, error) {
		return func() (agent.Look, error) { return job.FixByCommand(ctx, mistake, argv...) }
	}
	for _, look := range []func() (agent.Look, error){
		func() (agent.Look, error) { return job.FixByTools(ctx, proctor, mistake, true) },
		func() (agent.Look, error) {
			// With an empty record and a clean working tree.
			err := errors.Join(os.RemoveAll(filepath.Join(w.dir, ".proctor")), mistake.Make(), w.commit(ctx))
			if err != nil {
				return agent.Look{}, err
			}
			return job.FixByTools(ctx, proctor, mistake, false)
		},
		command("go", "test", "-json", "-count=1", timeout, "./..."),
		command("go", "test", "-count=1", timeout, "./..."),
		command(w.gotestsum, "--", "-count=1", timeout, "./..."),
	} {
		if err := f.Fix(w.dir); err != nil {
			return nil, err
		}
		l, err := look()
		var stuck *agent.StuckError
		switch {
		case errors.As(err, &stuck):
			return nil, errors.Join(f.Fix(w.dir), w.commit(ctx))
		case err != nil:
			return nil, err
		}
		looks = append(looks, l)
	}
	return looks, w.commit(ctx)
}

func (t *faultTally) add(l agent.Look) {
	t.first, t.all = t.first.Plus(l.First), t.all.Plus(l.All)
	if l.Told {
		t.shown++
	}
}

// printFaults writes the tables in Markdown.
func (b *bench) printFaults(tallies []faultTally, byKind map[string][2]int, n int) {
	fmt.Fprintf(b.out, "\n| %d faults of one line in real modules | first answer has the line | tokens of the first answer, mean | until green again, mean | calls, mean |\n|---|---|---|---|---|\n", n)
	for _, t := range tallies {
		fmt.Fprintf(b.out, "| %s | %d (%.0f %%) | %d | %d | %.1f |\n", t.name, t.shown, 100*float64(t.shown)/float64(n), t.first.Tokens()/n, t.all.Tokens()/n, float64(t.all.Texts)/float64(n))
	}
	fmt.Fprintf(b.out, "\n| kind of fault | its line is in the answer of run_tests |\n|---|---|\n")
	for _, kind := range edit.FaultKinds() {
		if c := byKind[kind]; c[1] > 0 {
			fmt.Fprintf(b.out, "| %s | %d of %d |\n", kind, c[0], c[1])
		}
	}
}
