package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
)

// deed is what one test of a random module does. The tests are compiled once and read
// their deeds from a file, so that thousands of modules cost no build.
type deed struct {
	Name     string `json:"name"`
	Parallel bool   `json:"parallel,omitempty"`
	// Before and After are what it does before and after its parts.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	// Heeds, of TestD, TestE and what is inside of them: after a part that failed it
	// starts no other.
	Heeds bool    `json:"heeds,omitempty"`
	Parts []*deed `json:"parts,omitempty"`
}

// performer is the module's test file: it does what the deeds say.
const performer = `package m

import (
	"encoding/json"
	"os"
	"sync"
	"testing"
	"time"
)

type deed struct {
	Name          string
	Parallel      bool
	Before, After string
	Heeds         bool
	Parts         []*deed
}

func find(name string) *deed {
	data, err := os.ReadFile("deeds.json")
	if err != nil {
		panic(err)
	}
	var all []*deed
	if err := json.Unmarshal(data, &all); err != nil {
		panic(err)
	}
	for _, s := range all {
		if s.Name == name {
			return s
		}
	}
	return &deed{}
}

func do(t *testing.T, parent *testing.T, what string) {
	switch what {
	case "error":
		t.Error("it is wrong")
	case "fatal":
		t.Fatal("it is wrong at once")
	case "silent":
		t.Fail()
	case "skip":
		t.Skip("not here")
	case "panic":
		panic("it dies")
	case "cleanup":
		t.Cleanup(func() { panic("it dies late") })
	case "goroutine":
		go func() { panic("it dies elsewhere") }()
		time.Sleep(time.Second)
	case "exit":
		os.Exit(3)
	case "exit0":
		os.Exit(0)
	case "unlock":
		var mu sync.Mutex
		mu.Unlock()
	case "parent":
		if parent != nil {
			parent.FailNow()
		}
		t.FailNow()
	case "kill":
		p, _ := os.FindProcess(os.Getpid())
		p.Kill()
		time.Sleep(time.Second)
	case "hang":
		time.Sleep(time.Hour)
	case "short":
		time.Sleep(time.Millisecond)
	}
}

func perform(t, parent *testing.T, s *deed) {
	if s.Parallel {
		t.Parallel()
	}
	do(t, parent, s.Before)
	for _, part := range s.Parts {
		t.Run(part.Name, func(sub *testing.T) { perform(sub, t, part) })
	}
	do(t, parent, s.After)
}

func TestA(t *testing.T) { perform(t, nil, find("TestA")) }

func TestB(t *testing.T) { perform(t, nil, find("TestB")) }

func TestC(t *testing.T) {
	s := find("TestC")
	if s.Parallel {
		t.Parallel()
	}
	do(t, nil, s.Before)
	for _, part := range s.Parts {
		t.Run(part.Name, func(sub *testing.T) {
			if part.Parallel {
				sub.Parallel()
			}
			do(sub, t, part.Before)
			for _, inner := range part.Parts {
				sub.Run(inner.Name, func(leaf *testing.T) { perform(leaf, sub, inner) })
			}
			do(sub, t, part.After)
		})
	}
	do(t, nil, s.After)
}

func TestD(t *testing.T) {
	s := find("TestD")
	for _, part := range s.Parts {
		if !t.Run(part.Name, func(sub *testing.T) { perform(sub, t, part) }) && s.Heeds {
			break
		}
	}
	do(t, nil, s.After)
}

func heed(t, parent *testing.T, s *deed) {
	if s.Parallel {
		t.Parallel()
	}
	do(t, parent, s.Before)
	for _, part := range s.Parts {
		if s.Heeds && t.Failed() {
			return
		}
		t.Run(part.Name, func(sub *testing.T) { heed(sub, t, part) })
	}
	do(t, parent, s.After)
}

func TestE(t *testing.T) { heed(t, nil, find("TestE")) }

func FuzzF(f *testing.F) {
	s := find("FuzzF")
	for i := range s.Parts {
		f.Add(i)
	}
	f.Fuzz(func(t *testing.T, i int) {
		if i < len(s.Parts) {
			do(t, nil, s.Parts[i].Before)
		}
	})
}
`

var (
	reds   = []string{"error", "fatal", "silent", "panic", "panic", "panic", "cleanup", "goroutine", "exit", "exit0", "unlock", "parent", "kill"}
	greens = []string{"", "", "", "short", "skip"}
)

// randomDeed makes a test with parts, a few of them red.
func randomDeed(r *rand.Rand, name string, depth int) *deed {
	s := &deed{Name: name, Parallel: r.IntN(3) == 0, Before: greens[r.IntN(len(greens)-1)], Heeds: r.IntN(2) == 0}
	if depth > 0 {
		for i := range r.IntN(4) {
			s.Parts = append(s.Parts, randomDeed(r, fmt.Sprintf("p%d", i), depth-1))
		}
	}
	what := greens[r.IntN(len(greens))]
	if r.IntN(5) == 0 {
		what = reds[r.IntN(len(reds))]
	}
	if r.IntN(2) == 0 {
		s.Before = what
	} else {
		s.After = what
	}
	return s
}

// mend mends the test of a name and reports whether it was red.
func mend(deeds []*deed, name []string) bool {
	for _, s := range deeds {
		if s.Name != name[0] {
			continue
		}
		if len(name) > 1 {
			return mend(s.Parts, name[1:])
		}
		mended := false
		for _, what := range []*string{&s.Before, &s.After} {
			if !slices.Contains(greens, *what) {
				*what, mended = "", true
			}
		}
		return mended
	}
	return false
}

// mendAny mends the first red test below some deeds.
func mendAny(deeds []*deed, within string) bool {
	for _, s := range deeds {
		if within != "" && s.Name != within {
			continue
		}
		if mend([]*deed{s}, []string{s.Name}) || mendAny(s.Parts, "") {
			return true
		}
	}
	return false
}

// TestWhatADeadProcessHidStaysOutstandingUntilItRan mends the failures of random modules as they
// are shown, and reruns until proctor says that nothing is outstanding. Then a whole
// `go test`, which knows nothing of proctor, must be green.
//
// With PROCTOR_FUZZ=5m it runs for that long; PROCTOR_FUZZ_SEED repeats a case.
func TestWhatADeadProcessHidStaysOutstandingUntilItRan(t *testing.T) {
	t.Parallel()
	fuzzed(t, 3, func(t *testing.T) func(*rand.Rand) string {
		w := newModule(t, files{"m_test.go": performer, "deeds.json": "[]"})
		return func(r *rand.Rand) string {
			w.remove(".proctor")
			return hiddenByDeath(w, r)
		}
	})
}

// hiddenByDeath plays one module until nothing is outstanding; it returns what is wrong.
func hiddenByDeath(w *module, r *rand.Rand) string {
	var deeds []*deed
	for i, name := range []string{"TestA", "TestB", "TestC", "TestD", "TestE"} {
		if r.IntN(4) < 1+i/2 {
			deeds = append(deeds, randomDeed(r, name, 2))
		}
	}
	if r.IntN(4) == 0 {
		deeds = append(deeds, randomDeed(r, "FuzzF", 1))
	}
	args := []string{"run"}
	switch r.IntN(12) {
	case 0, 1, 2:
		args = append(args, "--", "-failfast")
	case 3, 4, 5:
		args = append(args, "--", "-parallel=4", "-count=2")
	case 6:
		if len(deeds) > 0 {
			deeds[r.IntN(len(deeds))].hangSomewhere(r)
			args = append(args, "--", "-timeout=1s")
		}
	}
	write := func() {
		data, err := json.Marshal(deeds)
		if err != nil {
			w.t.Fatal(err)
		}
		w.write(files{"deeds.json": string(data)})
	}
	write()
	began, _ := json.Marshal(deeds)
	story := fmt.Sprintf("%s\nproctor %q\n", began, args)
	run, reply := w.object(args...)
	for reruns, idle := 0, 0; ; reruns++ {
		story += fmt.Sprintf("exit %d, %s: %s, %d outstanding\n", reply.code, run.Verdict, run.Reason, run.Outstanding)
		if run.Outstanding == 0 {
			break
		}
		// A user mends one failure, or all that are shown.
		shown := run.Failures
		if r.IntN(2) == 0 {
			shown = shown[:min(len(shown), 1)]
		}
		mended := false
		for _, f := range shown {
			name := strings.Split(f.Test, "/")
			if mend(deeds, name) || mendAny(deeds, name[0]) {
				mended = true
				story += fmt.Sprintf("mended %s\n", f.Test)
			}
		}
		if !mended && len(run.Failures) > 0 {
			mended = mendAny(deeds, "") // of the suite, or a wrong one was blamed
		}
		if !mended && onlySkipped(run) {
			// What failed once and skips itself now stays, as it should, until it runs.
			for _, requested := range run.Requested {
				if requested.Outcome == api.OutcomeSkipped && dontSkip(deeds, strings.Split(requested.Test, "/")) {
					mended = true
					story += fmt.Sprintf("%s does not skip itself any more\n", requested.Test)
				}
			}
		}
		if mended {
			idle = 0
		} else if idle++; idle == 4 {
			if onlySkipped(run) {
				return "" // within a test that skips itself and is not outstanding
			}
			return story + "no end of it"
		}
		write()
		run, reply = w.object("rerun")
	}
	cmd := exec.Command("go", "test", "-count=1", "./...")
	cmd.Dir, cmd.Env = w.dir, w.env
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Sprintf("%snothing is outstanding, and go test is red: %v\n%s", story, err, bytes.TrimSpace(out))
	}
	return ""
}

// hangSomewhere makes a test, or one inside of it, hang.
func (s *deed) hangSomewhere(r *rand.Rand) {
	for len(s.Parts) > 0 && r.IntN(3) > 0 {
		s = s.Parts[r.IntN(len(s.Parts))]
	}
	s.Before = "hang"
}

// dontSkip lets the test of a name, and all that is inside of it, run; it reports whether
// one of them skipped itself.
func dontSkip(deeds []*deed, name []string) bool {
	changed := false
	for _, s := range deeds {
		switch {
		case len(name) > 0 && s.Name != name[0]:
		case len(name) > 1:
			changed = dontSkip(s.Parts, name[1:]) || changed
		default:
			for _, what := range []*string{&s.Before, &s.After} {
				if *what == "skip" {
					*what, changed = "short", true
				}
			}
			changed = dontSkip(s.Parts, nil) || changed
		}
	}
	return changed
}

// onlySkipped reports whether all that a rerun asked for passed or skipped itself.
func onlySkipped(run api.Run) bool {
	return len(run.Failures) == 0 && !slices.ContainsFunc(run.Requested, func(r api.Requested) bool {
		return r.Outcome != api.OutcomeSkipped && r.Outcome != api.OutcomePassed
	})
}
