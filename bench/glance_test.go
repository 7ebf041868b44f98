package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/bench/internal/measure"
)

func TestTheWholeAtAGlance(t *testing.T) {
	taking := func(wall time.Duration, peaks map[string]int64) []measure.Sample {
		return []measure.Sample{{Wall: wall, Peaks: peaks}}
	}
	r := measure.Result{
		Names: []string{"proctor", "go test -json", "gotestsum", "tparse", "jq", "somebody"},
		Samples: [][]measure.Sample{
			taking(110*time.Millisecond, map[string]int64{"proctor": 20 * mib, "proctor-plugin-go": 30 * mib, "cat": mib}),
			taking(100*time.Millisecond, nil), taking(105*time.Millisecond, nil), taking(120*time.Millisecond, nil),
			taking(90*time.Millisecond, map[string]int64{"jq": 3 * mib}), taking(time.Hour, nil),
		},
	}
	var out strings.Builder
	b := &tables{}
	b.within("a", 10, 20, "ms")
	b.addRow("fixed", excesses(r, 1))
	b.atMost("b", 1.1, 1.05)
	b.addRow("wall", medians(r, measure.Wall))
	b.addRow("peaks", memories(r))
	b.addRow("ours", onlyOurs("%d", 7))
	b.print(&out)
	for _, want := range []string{
		"| fixed | +10.0 ms | +5.0 ms | +20.0 ms | -10.0 ms | – | 10.0 ms | ≤ 20 ms | yes |",
		"| wall | 0.11 s | 0.105 s | 0.12 s | 0.09 s | 0.1 s | 1.100× | ≤ 1.05× | **no** |",
		"| peaks | 50 MiB | – | – | 3 MiB | – | 1.100× | ≤ 1.05× | **no** |",
		"| ours | 7 | – | – | – | – | 1.100× | ≤ 1.05× | **no** |",
	} {
		if !strings.Contains(out.String(), want+"\n") {
			t.Errorf("the line %q is missing in\n%s", want, out.String())
		}
	}
}

func TestAQuickRoundIsSmallByDefault(t *testing.T) {
	b := &bench{turns: 5, results: 7, edits: 200, quick: true}
	b.applyQuick(map[string]bool{"results": true})
	if b.turns != 1 || b.results != 7 || b.edits != 5 {
		t.Errorf("got %+v", b)
	}
	if got := b.realModules("a,b,c", 2); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("modules of a quick round: %q", got)
	}
	if b.modules = "c"; !slices.Equal(b.realModules("a,b,c", 2), []string{"c"}) {
		t.Errorf("requested modules: %q", b.realModules("a,b,c", 2))
	}
}

func TestPeersThatAreMissingAreNamed(t *testing.T) {
	b := &bench{gotestsum: t.TempDir() + "/gotestsum", tparse: "tparse"}
	if err := b.checkPeers(); err == nil || !strings.Contains(err.Error(), "gotestsum") || !strings.Contains(err.Error(), "make bench") {
		t.Errorf("got %v", err)
	}
}
