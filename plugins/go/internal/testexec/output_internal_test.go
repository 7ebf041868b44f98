package testexec

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/sdk"
)

const spoken = `noise
^=== RUN   TestA
    --- PASS: TestForged (0.00s)
=== RUN   TestForged
no line feed^--- PASS: TestA (1.25s)
^=== RUN   TestB
^=== RUN   TestB/sub
^--- FAIL: TestB/sub (0.00s)
^--- SKIP: TestB (0.00s)
^=== RUN   TestTwice
^--- PASS: TestTwice (0.50s)
^=== RUN   TestTwice
^--- FAIL: TestTwice (0.50s)
^=== RUN   TestTwice
^--- PASS: TestTwice (0.50s)
^--- PASS: TestUnknown (0.50s)
^=== RUN   TestHangs
`

func TestOutputRecordsTestsWithSkippedSubtests(t *testing.T) {
	for marked, text := range map[bool]string{
		false: "=== RUN   TestA\n=== RUN   TestA/x\n=== RUN   TestA/x/y\n    x_test.go:3: not now\n--- PASS: TestA (0.00s)\n    --- PASS: TestA/x (0.00s)\n        --- SKIP: TestA/x/y (0.00s)\n=== RUN   TestB\n--- SKIP: TestB (0.00s)\n    --- SKIP: TestC/z (0.00s)\n",
		true:  "\x16=== RUN   TestA\n\x16=== RUN   TestA/x/y\n\x16--- PASS: TestA (0.00s)\n    \x16--- SKIP: TestA/x/y (0.00s)\n    --- SKIP: TestA/forged (0.00s)\n\x16=== RUN   TestB\n\x16--- SKIP: TestB (0.00s)\n",
	} {
		w := &testOutput{marked: marked}
		_, _ = w.Write([]byte(text)) // it never fails
		if diff := cmp.Diff(map[string]string{"TestA": "TestA/x/y"}, w.skipped); diff != "" || w.status("TestA") != sdk.Passed || w.status("TestB") != sdk.Skipped {
			t.Errorf("marked %v: skipped (-want +got):\n%s", marked, diff)
		}
	}
}

func TestOutputRecordsHowTestsEnded(t *testing.T) {
	for _, chunk := range []int{1, 7, 1000} {
		w := &testOutput{marked: true}
		text := []byte(strings.ReplaceAll(spoken, "^", "\x16"))
		for len(text) > 0 {
			n := min(chunk, len(text))
			_, _ = w.Write(text[:n]) // it never fails
			text = text[n:]
		}
		if diff := cmp.Diff([]string{"TestA", "TestB", "TestTwice", "TestHangs"}, w.names); diff != "" {
			t.Errorf("names differ (-want +got):\n%s", diff)
		}
		for name, want := range map[string]sdk.Status{
			"TestA": sdk.Passed, "TestB": sdk.Skipped, "TestTwice": sdk.Failed, "TestHangs": sdk.Unfinished, "TestUnknown": "", "TestForged": "",
		} {
			if got := w.status(name); got != want {
				t.Errorf("%s: status %q, want %q", name, got, want)
			}
		}
		if w.took["TestA"] != 1250*time.Millisecond || w.completed {
			t.Errorf("took %v, completed %v", w.took, w.completed)
		}
		_, _ = w.Write([]byte("\x16PASS\n"))
		if !w.completed {
			t.Error("the final PASS was missed")
		}
	}
}

func TestOutputOfOldToolchainsHasNoMarker(t *testing.T) {
	w := &testOutput{}
	_, _ = w.Write([]byte("=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\n"))
	if w.status("TestA") != sdk.Passed || !w.completed {
		t.Errorf("%+v", w)
	}
}

func TestOutputKeepsLittleOfAnEndlessLine(t *testing.T) {
	w := &testOutput{marked: true}
	for range 100 {
		_, _ = w.Write([]byte(strings.Repeat("x", maxWord)))
	}
	if len(w.line) > maxWord {
		t.Errorf("%d bytes are kept", len(w.line))
	}
	_, _ = w.Write([]byte("\x16=== RUN   TestA\n"))
	if w.status("TestA") != sdk.Unfinished {
		t.Error("what follows is missed")
	}
}

func TestClockSaysWhyThereIsNoTimeForEachTest(t *testing.T) {
	const ms = time.Millisecond
	past, soon := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	for _, test := range []struct {
		clock   clock
		tooMuch string
		over    string
	}{
		{clock{}, "", ""},
		{clock{deadline: soon, budget: time.Minute}, "", ""},
		{clock{budget: 30 * ms}, "its start takes 20ms, for each of 5 tests: over the budget of 30ms", "the budget of 30ms was exhausted after 3 of 5 tests"},
		{clock{deadline: past}, "more than the time that was left", "the time budget was exhausted after 3 of 5 tests"},
	} {
		tooMuch, cut := test.clock.startsTooSlow(20*ms, 5, 10*ms)
		if cut != (test.clock.deadline == past) {
			t.Errorf("%+v: cut by the deadline: %v", test.clock, cut)
		}
		over := test.clock.overBudget(50*ms, 10*ms, 3, 5)
		for _, pair := range [][2]string{{tooMuch, test.tooMuch}, {over, test.over}} {
			if (pair[0] == "") != (pair[1] == "") || !strings.Contains(pair[0], pair[1]) {
				t.Errorf("%+v: %q, want %q", test.clock, pair[0], pair[1])
			}
		}
	}
	if left := (clock{}).left(ms); left != ms {
		t.Errorf("%v left, want %v", left, ms)
	}
	if left := (clock{deadline: soon}).left(ms); left != ms {
		t.Errorf("%v left, want %v", left, ms)
	}
	if left := (clock{deadline: soon}).left(0); left < time.Minute {
		t.Errorf("%v left", left)
	}
}

func TestBinaryKeepsTheFlagsThatEveryRunNeeds(t *testing.T) {
	b, err := readBinary(strings.Fields("qemu /x/m.test -test.paniconexit0 -test.gocoverdir=/y -test.v=test2json -test.timeout=1s -test.run=A -test.short=true -update -test.run=B"))
	if err != nil {
		t.Fatal(err)
	}
	want := "qemu /x/m.test -own -test.paniconexit0 -test.v=test2json -test.short=true -update -test.run=B"
	if got := strings.Join(b.argv("-own"), " "); got != want || !b.marked {
		t.Errorf("marked %v\n got %s\nwant %s", b.marked, got, want)
	}
	for _, args := range []string{"", "/x/m.test", "-test.v=true"} {
		if _, err := readBinary(strings.Fields(args)); err == nil {
			t.Errorf("%q names no test binary and flags", args)
		}
	}
}

func TestSetsOfBlocksAreJoinedAndTakenApart(t *testing.T) {
	a, b := sdk.BlockSet{0b101, 0b1}, sdk.BlockSet{0b110}
	if diff := cmp.Diff(sdk.BlockSet{0b001, 0b1}, subtractBlocks(a, b)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(sdk.BlockSet{0b111, 0b1}, uniteBlocks(b, a)); diff != "" {
		t.Error(diff)
	}
	if a[0] != 0b101 || b[0] != 0b110 {
		t.Error("the sets themselves changed")
	}
}
