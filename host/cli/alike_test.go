package cli

import (
	"strings"
	"testing"
)

// Two tests fail in the same way each time: the message of one has an identifier that
// proctor knows for one, that of the other a name that can be pronounced, which could be
// anything.
const aimless = `package a

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func TestDial(t *testing.T) { t.Fatalf("dial unix @%05x: connect: connection refused", rand.Uint32N(1<<20)) }

func TestName(t *testing.T) {
	var name []byte
	for i := 0; i < 12; i++ {
		name = append(name, [2]string{"bdklmnprst", "aeiouaeiou"}[i%2][rand.IntN(10)])
	}
	t.Fatal(fmt.Sprintf("lost the session %s of bob", name))
}
`

func TestAFailureWithAnotherIdentifierEachTimeIsNotTheFirst(t *testing.T) {
	t.Parallel()
	r := newRepository(t, ".", files{"a/a_test.go": aimless})
	if first := r.proctor("run"); first.code != 1 || strings.Contains(first.stdout, "gap") || strings.Contains(first.stdout, "failing") {
		t.Error(first)
	}
	r.proctor("run").expect(t, 1)
	r.write(files{"b.go": "package m\n"})
	const same, similar = "failed in 3 runs, and no pass on record; same failure, 3rd run, 1 file change", "failed in 3 runs, and no pass on record; similar failure, 3rd run, 1 file change"
	if third := r.proctor("run").stdout; strings.Count(third, "failing for 3 runs\n") != 2 {
		t.Error(third)
	}
	if shown := r.proctor("history"); strings.Contains(shown.stdout, "no earlier") || strings.Count(shown.stdout, same) != 1 || strings.Count(shown.stdout, similar) != 1 {
		t.Errorf("%s: want %q and %q", shown.stdout, same, similar)
	}
	r.proctor("failures").expect(t, 0, "a TestDial  failing for 3 runs", "a TestName  failing for 3 runs")
	r.proctor("why", "TestDial").expect(t, 0, "It was the same failure each time")
	r.proctor("why", "TestName").expect(t, 0, "It is a similar failure for the 3rd run", "their messages have one shape")
	r.proctor("diff").expect(t, 0, "2 still failing", "(same failure)", "(similar failure)")
	for range 2 { // also from what is kept
		r.proctor("triage").expect(t, 0, "a TestDial: it fails there too, in the same way", "a TestName: it fails there too, in a similar way")
	}
}
