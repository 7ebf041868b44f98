package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
)

// part is a package with benchmarks of its own.
type part struct{ pkg, bench string }

func benchmarkedParts() []part {
	return []part{
		{"./plugins/go/internal/testjson", "."},
		{"./plugins/go/internal/parse", "."},
		{"./plugins/go", "Compose|RerunCmd"},
		{"./plugins/forge/internal/testjson", "."},
		{"./plugins/forge/internal/trace", "."},
		{"./plugins/forge/internal/declaration", "."},
		{"./sdk/server", "."},
		{"./host/plugin", "."},
	}
}

// argv returns the command that measures a part; the report names it.
func (p part) argv() []string {
	return []string{"go", "test", "-run=^$", "-bench=" + p.bench, "-benchmem", p.pkg}
}

// measureParts measures single parts with Go's own benchmarks.
func measureParts(ctx context.Context, b *bench) error {
	const minRate, minToJSON, mostCompose = 800, 8, 50
	found := map[string]map[string]float64{}
	for _, p := range benchmarkedParts() {
		out, err := exec.CommandContext(ctx, p.argv()[0], p.argv()[1:]...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%q: %w\n%s", p.argv(), err, out)
		}
		fmt.Fprintf(b.out, "\n    %s\n", strings.Join(p.argv(), " "))
		for name, values := range benchmarks(out, func(line string) { fmt.Fprintf(b.out, "    %s\n", line) }) {
			found[p.pkg+" "+name] = values
		}
	}
	scan, std := found["./plugins/go/internal/testjson Scan"], found["./plugins/go/internal/testjson EncodingJSON"]
	if rate := scan["MB/s"] * 1e6 / mib; rate > 0 {
		b.goals = append(b.goals, goal{what: "scanner, one core", want: fmt.Sprintf("≥ %d MiB/s", minRate), got: fmt.Sprintf("%.0f MiB/s", rate), reached: rate >= minRate})
		b.atLeast("scanner to encoding/json", std["ns/op"]/scan["ns/op"], minToJSON)
	}
	for name, values := range found {
		if strings.HasPrefix(name, "./plugins/go ") {
			b.within(strings.TrimPrefix(name, "./plugins/go ")+" (100,000 ids)", values["ns/op"]/1e6, mostCompose, "ms")
		}
	}
	return nil
}

// benchmarks parses the output of `go test -bench`: values by name and unit. It also
// passes every line of a result to show.
func benchmarks(out []byte, show func(string)) map[string]map[string]float64 {
	found := map[string]map[string]float64{}
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		show(lines.Text())
		name, _, _ := strings.Cut(strings.TrimPrefix(fields[0], "Benchmark"), "-")
		found[name] = map[string]float64{}
		for i := 2; i+1 < len(fields); i += 2 {
			if v, err := strconv.ParseFloat(fields[i], 64); err == nil {
				found[name][fields[i+1]] = v
			}
		}
	}
	return found
}
