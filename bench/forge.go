package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/proctorhq/proctor/bench/internal/measure"
)

// forgePrograms are the programs whose memory a large forge document could fill.
var forgePrograms = [...]string{"proctor", "proctor-plugin-forge"}

// measureForge measures proctor on a Foundry project beside bare `forge test --json`, and on
// a document of 200 MB. It needs what `make forge` installs.
func measureForge(ctx context.Context, b *bench) error {
	tools, err := filepath.Abs(filepath.Join(".cache", "forge"))
	if err != nil {
		return err
	}
	bin := filepath.Join(tools, "bin")
	if _, err := os.Stat(bin); err != nil {
		return fmt.Errorf("the real forge is missing: %w; `make forge` installs it", err)
	}
	env := []string{
		"PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + filepath.Join(tools, "home"),
		"PROCTOR_SESSION=bench", "NO_COLOR=1",
	}
	return errors.Join(measureForgeProject(ctx, b, bin, env), measureForgeDocument(ctx, b))
}

// measureForgeProject runs the example's tests, some of which fail, with everything compiled:
// a run and a rerun, each beside the bare command.
func measureForgeProject(ctx context.Context, b *bench, bin string, env []string) error {
	const mostOver, mostOverRed, mostRerun = 60, 250, 2
	dir := filepath.Join(b.dir, "foundry")
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("examples", "foundry"))); err != nil {
		return err
	}
	for _, built := range []string{"out", "cache", ".proctor"} {
		if err := os.RemoveAll(filepath.Join(dir, built)); err != nil {
			return err
		}
	}
	program := filepath.Join(bin, "forge")
	code := 1
	proctor := func(args ...string) measure.Command {
		return measure.Command{Argv: append([]string{filepath.Join(b.bin, "proctor")}, args...), Dir: dir, Env: env, Exits: []int{code}}
	}
	forge := func(args ...string) measure.Command {
		argv := append([]string{program, "test", "--json", "-vv", "--fuzz-seed", "0x7"}, args...)
		return measure.Command{Argv: argv, Dir: dir, Env: env, Piped: true, Exits: []int{code}}
	}
	r, err := measure.Contest(ctx, shortTurns*b.turns,
		measure.Contender{Name: "forge test --json", Command: forge()}, measure.Contender{Name: "proctor run", Command: proctor("run", "--seed", "7")})
	if err != nil {
		return err
	}
	// After a red run proctor lists what never started, unlike after a green one.
	b.within("forge, red: proctor run over forge test --json, wall", 1e3*r.Excess(1, 0, measure.Wall).Seconds(), mostOverRed, "ms")
	b.addFigures("12 tests in 5 suites, 4 of which fail, compiled", r)

	selected := forge("--match-path", "{test/Fees.t.sol,test/Token.t.sol,test/Vault.t.sol}")
	r, err = measure.Contest(ctx, shortTurns*b.turns,
		measure.Contender{Name: "forge test --match-path", Command: selected}, measure.Contender{Name: "proctor rerun", Command: proctor("rerun")})
	if err != nil {
		return err
	}
	b.atMost("forge: proctor rerun to one forge test --match-path, wall", r.Ratio(1, 0, measure.Wall), mostRerun)
	b.addRow("rerun of a Foundry project, wall", medians(r, measure.Wall))
	b.addFigures("4 outstanding", r)

	for _, red := range []string{"Deployment", "Fees", "Token", "Vault"} {
		if err := os.Remove(filepath.Join(dir, "test", red+".t.sol")); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "test", "Green.t.sol"), []byte(greenTests), 0o644); err != nil {
		return err
	}
	code = 0
	r, err = measure.Contest(ctx, shortTurns*b.turns,
		measure.Contender{Name: "forge test --json", Command: forge()}, measure.Contender{Name: "proctor run", Command: proctor("run", "--seed", "7")})
	if err != nil {
		return err
	}
	b.within("forge, green: proctor run over forge test --json, wall", 1e3*r.Excess(1, 0, measure.Wall).Seconds(), mostOver, "ms")
	b.addRow("2 tests of a Foundry project, wall over the runner's", excesses(r, 0))
	b.addFigures("2 tests that pass, compiled", r)
	return nil
}

// greenTests are tests that pass.
const greenTests = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
contract GreenTest {
    function test_one() public {}
    function testFuzz_two(uint8 n) public pure { require(n < 256); }
}
`

// documentSize is the size of a run at the highest verbosity.
const documentSize = 200e6

// measureForgeDocument reads a document that consists mostly of traces.
func measureForgeDocument(ctx context.Context, b *bench) error {
	path := filepath.Join(b.dir, "forge.json")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if err := writeForgeDocument(path); err != nil {
			return err
		}
	} else if err != nil {
		return err
	}
	read := b.proctor(b.dir, "ingest", "--dry-run", "--plugin", "forge", "--exit-code", "0", path)
	read.Watch = true
	check := read
	check.Argv = append(read.Argv[:len(read.Argv):len(read.Argv)], "--json")
	out, err := measure.Output(ctx, check)
	if err != nil {
		return err
	}
	var answer struct{ Counts struct{ Passed int } }
	if err := json.Unmarshal(out, &answer); err != nil {
		return fmt.Errorf("proctor ingest --dry-run --json: %w", err)
	}
	if answer.Counts.Passed != documentTests {
		return fmt.Errorf("proctor counts %d tests in a forge document that has %d", answer.Counts.Passed, documentTests)
	}
	r, err := measure.Contest(ctx, b.turns, measure.Contender{Name: "proctor ingest --dry-run", Command: read})
	if err != nil {
		return err
	}
	for _, program := range forgePrograms {
		b.within("forge: a document of 200 MB, peak of "+program, float64(r.Peak(0, program))/mib, maxPeak/mib, "MiB")
	}
	b.addFigures("read a forge document of 200 MB", r)
	return nil
}

// documentTests is the number of tests in the document.
const documentTests = 1000

func writeForgeDocument(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	step := `{"pc":1234,"op":96,"stack":["0x01","0x02"],"memory":null,"gas_remaining":9223372036854754743,"gas_cost":3,"storage_change":null,"decoded":null},`
	steps := strings.Repeat(step, int(documentSize)/documentTests/len(step))
	steps = strings.TrimSuffix(steps, ",")
	fmt.Fprint(w, `{"test/A.t.sol:ATest":{"duration":"3ms","test_results":{`)
	for i := range documentTests {
		if i > 0 {
			fmt.Fprint(w, ",")
		}
		fmt.Fprintf(w, `"test_%d()":{"status":"Success","reason":null,"counterexample":null,"logs":[],"decoded_logs":[],"kind":{"Unit":{"gas":%d}},`+
			`"traces":[["Execution",{"arena":[{"parent":null,"children":[],"idx":0,"trace":{"steps":[%s]}}]}]],"duration":"2µs"}`, i, 1000+i, steps)
	}
	fmt.Fprintln(w, `},"warnings":[]}}`)
	return errors.Join(w.Flush(), f.Close())
}
