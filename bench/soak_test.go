package main

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/internal/testbin"
)

// soaks for two rounds: a red run, a failing build, a second client, a cancelled run
// and an index.
func soaks(t *testing.T, b bench) {
	var out strings.Builder
	b.out, b.rounds, b.soakFlags = &out, 2, testbin.GoFlags()
	if err := measureSoak(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"2 rounds of an agent's loop with 10 runs", "| proctor: memory, MiB |", "| processes left by calls | 0.0 | 0.0 |"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
	for _, g := range b.goals {
		if strings.Contains(g.what, "left at the end") && !g.reached {
			t.Errorf("%+v", g)
		}
	}
}

func TestWhatHasGrownIsNamed(t *testing.T) {
	b := &tables{}
	b.none("nothing", nil)
	b.none("something", []string{"a", "b"})
	if !b.goals[0].reached || b.goals[1].reached || b.goals[1].got != "2: a, b" {
		t.Errorf("got %+v", b.goals)
	}
}
