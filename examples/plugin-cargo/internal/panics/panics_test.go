package panics

import (
	"reflect"
	"testing"
)

func TestPanicsOfEveryRustVersion(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want Panic
	}{
		"now":         {"\nthread 'm::t' (12) panicked at src/lib.rs:10:5:\nno\nway\nnote: run with `RUST_BACKTRACE=1`", Panic{Thread: "m::t", Message: "no\nway", Place: Place{"src/lib.rs", 10, 5}}},
		"before 1.91": {"thread 'main' panicked at src/lib.rs:10:5:\nno", Panic{Thread: "main", Message: "no", Place: Place{"src/lib.rs", 10, 5}}},
		"before 1.73": {"thread 't' panicked at 'no', src/lib.rs:10:5\nnote: run", Panic{Thread: "t", Message: "no", Place: Place{"src/lib.rs", 10, 5}}},
		"old, lines":  {"thread 't' panicked at 'assertion failed: `(left == right)`\n  left: `1`,\n right: `2`', src/a.rs:1:2\n", Panic{Thread: "t", Message: "assertion failed: `(left == right)`\n  left: `1`,\n right: `2`", Place: Place{"src/a.rs", 1, 2}}},
		"windows":     {"thread 't' panicked at C:\\x\\lib.rs:3:1:\nno", Panic{Thread: "t", Message: "no", Place: Place{"C:\\x\\lib.rs", 3, 1}}},
		"old, cut":    {"thread 't' panicked at 'no", Panic{Thread: "t", Message: "no"}},
		"a stack": {"thread 't' panicked at a.rs:1:1:\nno\nstack backtrace:\n   0: f\n             at ./a.rs:1:1\n   1: g\nnote: x", Panic{
			Thread: "t", Message: "no", Place: Place{"a.rs", 1, 1}, Stack: []Frame{{"f", Place{"./a.rs", 1, 1}}, {Function: "g"}},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Read(c.text); len(got) != 1 || !reflect.DeepEqual(got[0], c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestThePanicOfTheTestsOwnThreadCounts(t *testing.T) {
	found := Read("thread '<unnamed>' panicked at a.rs:1:1:\nchild\n\nthread 't' panicked at a.rs:2:1:\nown\n\nthread 'late' panicked at a.rs:3:1:\nlate\n")
	if x, _ := FindPanic("t", found); len(found) != 3 || x.Message != "own" {
		t.Errorf("%+v of %d", x, len(found))
	}
	if x, _ := FindPanic("other", found); x.Message != "late" {
		t.Errorf("%+v", x)
	}
}

func TestComparedValuesOfAssertions(t *testing.T) {
	for message, want := range map[string]Assertion{
		"assertion `left == right` failed: why\n  left: 1\n right: \"a\\nb\"":    {Failed: true, Got: "1", Want: `"a\nb"`},
		"assertion failed: `(left == right)`\n  left: `1`,\n right: `2`":         {Failed: true, Got: "1", Want: "2"},
		"assertion `left == right` failed\n  left: A {\n    x: 1,\n}\n right: B": {Failed: true, Got: "A {\n    x: 1,\n}", Want: "B"},
		"assertion failed: a > b": {Failed: true},
		"assertion failed: `(left == right)`\n\nDiff < left / right > :\n<1\n>2\n": {Failed: true, Difference: "Diff < left / right > :\n<1\n>2"},
		"index out of bounds: the len is 0\n  left: 1\n right: 2":                  {},
	} {
		if got := ReadAssertion(message); got != want {
			t.Errorf("%q: got %+v, want %+v", message, got, want)
		}
	}
}

func TestMessagesOfShouldPanicTests(t *testing.T) {
	got, want, ok := ReadExpected("x\nnote: panic did not contain expected string\n      panic message: \"xyz\"\n expected substring: \"abc\"")
	if !ok || got != `"xyz"` || want != `"abc"` {
		t.Errorf("%s, %s, %v", got, want, ok)
	}
	if at, ok := ReadNoPanic("note: test did not panic as expected at src/lib.rs:35:32"); !ok || at != (Place{"src/lib.rs", 35, 32}) {
		t.Errorf("%+v, %v", at, ok)
	}
	if at, ok := ReadNoPanic("note: test did not panic as expected"); !ok || at != (Place{}) {
		t.Errorf("%+v, %v", at, ok)
	}
	if err, ok := ReadReturned("hi\nError: \"no\""); !ok || err != `"no"` {
		t.Errorf("%s, %v", err, ok)
	}
}
