package gotest

import (
	"fmt"
	"os"
	"testing"

	"github.com/proctorhq/proctor/sdk"
)

// The goal is 50 ms for 100,000 tests, apart from reading sources, which
// BenchmarkRerunCmd includes. Every package has tests that are not wanted and
// whose names another package wants, so that each needs its own expression.
func BenchmarkComposeAHundredThousandTests(b *testing.B) {
	var targets []sdk.TestID
	declared := map[string]map[string]struct{}{}
	for p := range 845 {
		path := fmt.Sprintf("example.com/module/package%d", p)
		declared[path] = map[string]struct{}{"TestUnwanted": {}}
		for i := range 119 {
			name := fmt.Sprintf("TestNumber%dOf%d", i, p%7)
			targets = append(targets, sdk.TestID{Suite: path, Test: name})
			declared[path][name] = struct{}{}
		}
		declared[path][fmt.Sprintf("TestNumber1Of%d", (p+1)%7)] = struct{}{}
	}
	executable, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		suites, _ := groupBySuite(targets)
		for _, s := range suites {
			s.dir, s.declared = "/"+s.path, declared[s.path]
		}
		c := composer{executable: executable, argv: []string{"go", "test"}, limits: platformLimits()}
		if commands := c.commands(suites, tests); len(commands) != 1 || len(commands[0].Inputs) != 1 {
			b.Fatalf("%d commands", len(commands))
		}
	}
}
