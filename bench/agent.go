package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/proctorhq/proctor/bench/internal/agent"
)

// agentModule is the real module that an agent fixes: some 1,900 tests in 24 packages,
// none of which depends on time or luck.
const agentModule = "github.com/hashicorp/hcl/v2@v2.24.0"

// agentFaults returns its faults: a constant that is off by one, which tests of four
// packages notice; a test file that does not compile; and a panic. The panic hides the test
// that shows the constant best.
func agentFaults() []agent.Fault {
	return []agent.Fault{
		{
			File: "hclsyntax/token.go", Right: "end.Column = 1", Wrong: "end.Column = 0",
			Sign: "TestNavigationContextDefRange", Says: "Column:0",
		},
		{
			File: "gohcl/schema_test.go", Right: "reflect.DeepEqual(", Wrong: "reflect.DeepEquals(",
			Sign: "gohcl/schema_test.go:", Says: "undefined: reflect.DeepEquals",
		},
		{
			File: "hclsyntax/navigation.go", Right: "range block.Labels {", Wrong: "range block.Labels[2:] {",
			Sign: "hclsyntax/navigation.go:", Says: "slice bounds out of range",
		},
	}
}

// attempt is one way for an agent to get its tests run.
type attempt struct {
	name string
	work func(context.Context, agent.Job) (agent.Report, error)
}

// attempts returns all ways, those with proctor's tools first.
func (b *bench) attempts() []attempt {
	proctor := filepath.Join(b.bin, "proctor")
	tools := func(form agent.Form) func(context.Context, agent.Job) (agent.Report, error) {
		return func(ctx context.Context, j agent.Job) (agent.Report, error) { return j.Tools(ctx, proctor, form) }
	}
	shell := func(asJSON bool) func(context.Context, agent.Job) (agent.Report, error) {
		return func(ctx context.Context, j agent.Job) (agent.Report, error) { return j.Shell(ctx, asJSON) }
	}
	return []attempt{
		{"proctor mcp, structuredContent alone", tools(agent.Object)},
		{"proctor mcp, text alone", tools(agent.Text)},
		{"go test -json", shell(true)},
		{"go test", shell(false)},
	}
}

// Positions of the shells among the attempts; the tools are compared with these.
const (
	rawEvents = 2
	rawText   = 3
)

// measureAgent measures what an agent reads until a broken module is green again, either
// the tools' answers or the output of `go test`. Where little fails there is little to read
// either way, so that case is measured, too.
func measureAgent(ctx context.Context, b *bench) error {
	const leastToEvents, mostToText = 50, 0.5
	source, err := download(ctx, agentModule)
	if err != nil {
		return err
	}
	faults := agentFaults()
	many, err := b.fixEachWay(ctx, "many", source, faults)
	if err != nil {
		return err
	}
	b.printReports(agentModule+", where up to 87 tests fail", many)
	few, err := b.fixEachWay(ctx, "few", source, faults[1:])
	if err != nil {
		return err
	}
	b.printReports(agentModule+", where two things fail", few)
	for i, form := range []string{"structuredContent", "text"} {
		all := many[i].Read.Plus(many[i].Told)
		b.atLeast("an agent's loop: tokens of `go test -json` to the tools' "+form+", definitions included", ratio(many[rawEvents].Read, all), leastToEvents)
		cells := onlyOurs("%d", all.Tokens())
		cells[bareColumn] = fmt.Sprint(many[rawEvents].Read.Tokens())
		b.addRow("tokens that an agent reads to fix a module, "+form, cells)
		b.atMost("an agent's loop: tokens of the tools' "+form+", definitions included, to `go test`", ratio(all, many[rawText].Read), mostToText)
		all = few[i].Read.Plus(few[i].Told)
		b.atLeast("the same with few failures: `go test -json` to "+form, ratio(few[rawEvents].Read, all), leastToEvents)
	}
	return nil
}

// fixEachWay makes a module green in each way, every time from the same broken state, and
// returns the costs. What was read is kept under name.
func (b *bench) fixEachWay(ctx context.Context, name, source string, faults []agent.Fault) ([]agent.Report, error) {
	dir := filepath.Join(b.dir, "agent")
	module := filepath.Join(dir, "module")
	if err := renew(module, source); err != nil {
		return nil, err
	}
	// No attempt should have to wait for compilation that others are spared.
	warm := exec.CommandContext(ctx, "go", "test", "-count=1", "-run=^$", "./...")
	warm.Dir = module
	if out, err := warm.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("the module does not build before it is broken: %w\n%s", err, out)
	}
	var reports []agent.Report
	for i, a := range b.attempts() {
		if err := renew(module, source); err != nil {
			return nil, err
		}
		for _, f := range faults {
			if err := f.Inject(module); err != nil {
				return nil, err
			}
		}
		kept, err := os.Create(filepath.Join(dir, fmt.Sprintf("%s-%d.txt", name, i)))
		if err != nil {
			return nil, err
		}
		r, err := a.work(ctx, agent.Job{Dir: module, Faults: faults, Kept: kept})
		if err = errors.Join(err, kept.Close()); err != nil {
			return nil, fmt.Errorf("%s (what it read is in %s): %w", a.name, kept.Name(), err)
		}
		fmt.Fprintf(b.log, "%s: green after %d results, %s; they are in %s\n", a.name, r.Read.Texts, r.Wall.Round(time.Second), kept.Name())
		reports = append(reports, r)
	}
	return reports, nil
}

// printReports writes a table in Markdown.
func (b *bench) printReports(what string, reports []agent.Report) {
	row := func(name string, results int, c agent.Cost) {
		fmt.Fprintf(b.out, "| %s | %d | %d | %d | %.1f× |\n", name, results, c.Bytes, c.Tokens(), ratio(reports[rawEvents].Read, c))
	}
	fmt.Fprintf(b.out, "\n| what an agent reads to fix %s | results | bytes | tokens, estimated | `go test -json` to it |\n|---|---|---|---|---|\n", what)
	for i, a := range b.attempts() {
		r := reports[i]
		row(a.name, r.Read.Texts, r.Read)
		if r.Told.Texts > 0 {
			row(a.name+", with instructions and definitions", r.Read.Texts, r.Read.Plus(r.Told))
		}
	}
}

func ratio(a, b agent.Cost) float64 { return float64(a.Tokens()) / float64(b.Tokens()) }

// download returns the directory of a module in the module cache, which must not be
// changed.
func download(ctx context.Context, module string) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "mod", "download", "-json", module).Output()
	var found struct{ Dir, Error string }
	if jerr := json.Unmarshal(out, &found); err == nil {
		err = jerr
	}
	if err != nil {
		return "", fmt.Errorf("go mod download %s: %w; %s", module, err, found.Error)
	}
	return found.Dir, nil
}

// renew makes dir a copy of source, or an empty directory if source is "".
func renew(dir, source string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if source == "" {
		return os.MkdirAll(dir, 0o755)
	}
	return os.CopyFS(dir, os.DirFS(source))
}
