package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/shard"
)

// shardModules are real modules of different shapes: one package with hundreds of tests, a
// few large ones among many small ones, many of equal size, hardly any.
const shardModules = "github.com/hashicorp/hcl/v2@v2.25.0,github.com/go-chi/chi/v5@v5.2.3,go.uber.org/zap@v1.27.0,github.com/pelletier/go-toml/v2@v2.2.4," +
	"github.com/zclconf/go-cty@v1.17.0,golang.org/x/crypto@v0.43.0,golang.org/x/net@v0.46.0,github.com/prometheus/client_golang@v1.23.2," +
	"github.com/klauspost/compress@v1.18.1,golang.org/x/text@v0.30.0"

// mostUneven is how much longer than the mean the longest shard may be, by recorded
// durations.
const mostUneven = 1.15

// measureShards compares how evenly real suites are divided: by the durations that one run
// recorded, or by the number of suites or the hash of a test, as other tools do. The figures
// are computed from the recorded durations, without that many machines. The mean is the
// undivided time over the number of shards, so the cost of dividing a suite counts for the
// longest shard. The longest cannot be shorter than one test, nor than what starting its
// suites costs.
func measureShards(ctx context.Context, b *bench) error {
	fmt.Fprintf(b.out, "\n| module | suites, tests | s | N | longest / mean | at best | suites by number | tests by hash |\n|---|--:|--:|--:|--:|--:|--:|--:|\n")
	worst := 0.0
	for _, name := range strings.Split(shardModules, ",") {
		source, err := download(ctx, name)
		if err != nil {
			return err
		}
		dir := filepath.Join(b.dir, "shards", strings.NewReplacer("/", "_", "@", "_").Replace(name))
		if err := renew(dir, source); err != nil {
			return err
		}
		// A test that fails is not timed, and counts with the median.
		_ = b.command(ctx, dir, "run", "-q", "--timeout", "900").Run()
		raw, err := b.command(ctx, dir, "timings", "--runs", "1").Output()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		timings, err := shard.ReadTimings(raw, "go")
		if err != nil {
			return err
		}
		suites, tests, err := b.listSuites(ctx, dir)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		module, _, _ := strings.Cut(name, "@")
		total := shard.Loads([][]shard.Piece{wholeSuites(suites)}, suites, timings)[0]
		for _, of := range []int{2, 4, 8} {
			mean := total / float64(of)
			longest := func(parts [][]shard.Piece) float64 { return slices.Max(shard.Loads(parts, suites, timings)) }
			got := longest(shard.Split(suites, of, timings))
			least := max(mean, longestTest(suites, timings), mostSuites(suites, of, timings))
			worst = max(worst, got/least)
			fmt.Fprintf(b.out, "| %s | %d, %d | %.1f | %d | %.2f | %.2f | %.2f | %.2f |\n", module, len(suites), tests, total, of, got/mean, least/mean,
				longest(byNumber(suites, of))/mean, longest(byHash(suites, of))/mean)
		}
	}
	b.atMost("the longest shard to the shortest possible, on ten suites with 2, 4 and 8 shards", worst, mostUneven)
	return nil
}

// longestTest returns how long the longest test takes alone, including the cost of its suite.
func longestTest(suites []shard.Suite, timings shard.Timings) float64 {
	longest := 0.0
	for _, s := range suites {
		var alone [][]shard.Piece
		for _, t := range s.Tests {
			alone = append(alone, []shard.Piece{{Suite: s.Name, Tests: []string{t}}})
		}
		if len(alone) > 0 {
			longest = max(longest, slices.Max(shard.Loads(alone, suites, timings)))
		}
	}
	return longest
}

// mostSuites returns what suites cost besides their tests, in the shard that has the most of
// them when they are divided as evenly as possible.
func mostSuites(suites []shard.Suite, of int, timings shard.Timings) float64 {
	n, fixed := 0, 0.0
	for _, s := range suites {
		if len(s.Tests) > 0 {
			n++
			fixed = shard.Loads([][]shard.Piece{{{Suite: s.Name, Tests: []string{""}}}}, suites, timings)[0]
		}
	}
	return float64((n+of-1)/of) * fixed
}

// command returns a proctor command whose output is read.
func (b *bench) command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(b.bin, "proctor"), args...)
	cmd.Dir = dir
	return cmd
}

// listSuites returns the suites of a module with their tests, as a shard lists them.
func (b *bench) listSuites(ctx context.Context, dir string) (suites []shard.Suite, tests int, err error) {
	raw, _ := b.command(ctx, dir, "run", "--list", "--json").Output()
	var list api.TestList
	if err := json.NewDecoder(bytes.NewReader(raw)).Decode(&list); err != nil {
		return nil, 0, err
	}
	for _, s := range list.Suites {
		one := shard.Suite{Name: s.Suite}
		for _, t := range s.Tests {
			if !t.OnRequest {
				one.Tests = append(one.Tests, t.Test)
			}
		}
		tests += len(one.Tests)
		suites = append(suites, one)
	}
	return suites, tests, nil
}

func wholeSuites(suites []shard.Suite) (pieces []shard.Piece) {
	for _, s := range suites {
		pieces = append(pieces, shard.Piece{Suite: s.Name})
	}
	return pieces
}

// byNumber deals out suites in turn, as `gotestsum tool ci-matrix` does without
// timings, and others do by file.
func byNumber(suites []shard.Suite, of int) [][]shard.Piece {
	parts := make([][]shard.Piece, of)
	for i, p := range wholeSuites(suites) {
		parts[i%of] = append(parts[i%of], p)
	}
	return parts
}

// byHash deals out tests by the hash of their name, as nextest's hash partition does.
func byHash(suites []shard.Suite, of int) [][]shard.Piece {
	parts := make([][]shard.Piece, of)
	for _, s := range suites {
		pieces := make([]shard.Piece, of)
		for _, t := range s.Tests {
			h := fnv.New32a()
			h.Write([]byte(s.Name + " " + t))
			at := h.Sum32() % uint32(of)
			pieces[at].Suite, pieces[at].Tests = s.Name, append(pieces[at].Tests, t)
		}
		for at, p := range pieces {
			if p.Tests != nil {
				parts[at] = append(parts[at], p)
			}
		}
	}
	return parts
}
