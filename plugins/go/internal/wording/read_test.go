package wording

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/sdk"
)

func TestFreeMessagesAndWhatTheyCompare(t *testing.T) {
	for _, tt := range []struct {
		name, text, message string
		diff                sdk.Diff
	}{
		{"labeled lines", "got: 5\nwant: 3", "got: 5\nwant: 3", sdk.Diff{Got: "5", Want: "3"}},
		{"labeled lines below a message", "mismatch\n  got: 5\n  want: 3\nhint", "mismatch\nhint", sdk.Diff{Got: "5", Want: "3"}},
		{"values of several lines", "mismatch\ngot: a\n     b\nwant: c", "mismatch", sdk.Diff{Got: "a\n     b", Want: "c"}},
		{"labels with content below", "mismatch\nexpected:\n  a\n  b\nactual:\n  c", "mismatch", sdk.Diff{Got: "c", Want: "a\nb"}},
		{"an empty value", "mismatch\ngot:  \nwant: x", "mismatch\ngot:\nwant: x", sdk.Diff{}},
		{"words without colons", "F():\ngot  a b\nwant a c", "F():", sdk.Diff{Got: "a b", Want: "a c"}},
		{"words without colons, of several lines", "mismatch: \ngot a\n | b, \nwanted a\n\t| c", "mismatch:", sdk.Diff{Got: "a\n | b", Want: "a\n\t| c"}},
		{"nothing but words without colons", "\nexpected \"a: b\"\n     got \"a: c\"", "values differ:", sdk.Diff{Got: `"a: c"`, Want: `"a: b"`}},
		{"a word that begins a sentence", "got lost\nno way", "got lost\nno way", sdk.Diff{}},
		{"a word that begins a heading", "Expected the error to contain:\n  x\nGot: y", "Expected the error to contain:\n  x\nGot: y", sdk.Diff{}},
		{"words that begin sentences", "expected one call\ngot a call\ngot a call", "expected one call\ngot a call\ngot a call", sdk.Diff{}},
		{"call = got, want", "F(2) = 4, want 5", "F(2) = 4, want 5", sdk.Diff{Got: "4", Want: "5"}},
		{"got, want", "case 1: got x, want y", "case 1: got x, want y", sdk.Diff{Got: "x", Want: "y"}},
		{"got; want", `Sum() got "a"; want "b"`, `Sum() got "a"; want "b"`, sdk.Diff{Got: `"a"`, Want: `"b"`}},
		{"want, got", "want 1, got 2", "want 1, got 2", sdk.Diff{Got: "2", Want: "1"}},
		{"a sentence about a value", `Expected "GET" to redirect to "/a", but got "/b"`, `Expected "GET" to redirect to "/a", but got "/b"`, sdk.Diff{}},
		{"expected, but got", "expected nil, but got EOF", "expected nil, but got EOF", sdk.Diff{Got: "EOF", Want: "nil"}},
		{"labels in one line", "got: 1, want: 2", "got: 1, want: 2", sdk.Diff{Got: "1", Want: "2"}},
		{"labels with signs", "got = 1, want=2", "got = 1, want=2", sdk.Diff{Got: "1", Want: "2"}},
		{"labeled lines with signs", "texts differ\n want = a\n   b\n got  = c", "texts differ", sdk.Diff{Got: "c", Want: "a\n   b"}},
		{"a remark", "wrong sum (expected 1, got f(2))", "wrong sum (expected 1, got f(2))", sdk.Diff{Got: "f(2)", Want: "1"}},
		{"a remark about what was got", "got f(1) (want 2)", "got f(1) (want 2)", sdk.Diff{Got: "f(1)", Want: "2"}},
		{"remarks that name variables", "assertion failed: 5 (got int) != 6 (want int)", "assertion failed: 5 (got int) != 6 (want int)", sdk.Diff{}},
		{"a parenthesis", "expected ), got (", "expected ), got (", sdk.Diff{Got: "(", Want: ")"}},
		{"nothing between", "expected 1 got 2", "expected 1 got 2", sdk.Diff{Got: "2", Want: "1"}},
		{"but between", "Expected <1> but was <2>", "Expected <1> but was <2>", sdk.Diff{Got: "<2>", Want: "<1>"}},
		{"signs and nothing between", "Got=1 Want=2", "Got=1 Want=2", sdk.Diff{Got: "1", Want: "2"}},
		{"have, want", "have 1, want 2", "have 1, want 2", sdk.Diff{Got: "1", Want: "2"}},
		{"exp and got", "exp: 1\n\ngot: 2", "exp: 1\n\ngot: 2", sdk.Diff{Got: "2", Want: "1"}},
		{"a comparison", "x got == want, want it", "x got == want, want it", sdk.Diff{}},
		{"got what was expected", "got the expected value", "got the expected value", sdk.Diff{}},
		{"words that are quoted", `should have message "expected an error, got nil", got "expected an error"`, `should have message "expected an error, got nil", got "expected an error"`, sdk.Diff{}},
		{"a quoted word before the label", `should have message "1 != 2 (expected int)", got "x"`, `should have message "1 != 2 (expected int)", got "x"`, sdk.Diff{}},
		{"got instead", "expected A, got instead: B", "expected A, got instead: B", sdk.Diff{Got: "B", Want: "A"}},
		{"a value of blanks", "got 1, want   ", "got 1, want", sdk.Diff{}},
		{"a sentence about a name", "expected x to be 5, got 6", "expected x to be 5, got 6", sdk.Diff{}},
		{"a text that is no sentence", `want "x to be", got nil`, `want "x to be", got nil`, sdk.Diff{Got: "nil", Want: `"x to be"`}},
		{"a sentence without a value", "expected it closed, but was not", "expected it closed, but was not", sdk.Diff{}},
		{"a number before the labels", "i = 3: got 5, want 6", "i = 3: got 5, want 6", sdk.Diff{Got: "5", Want: "6"}},
		{"results before the last", "x = 3, f(x) = 5, want 6", "x = 3, f(x) = 5, want 6", sdk.Diff{Got: "5", Want: "6"}},
		{"the query of a URL", "GET /a?x=1&want=2 failed: got 500, want 200", "GET /a?x=1&want=2 failed: got 500, want 200", sdk.Diff{Got: "500", Want: "200"}},
		{"a value that is not wanted", "did not want 5, got 5", "did not want 5, got 5", sdk.Diff{}},
		{"no wanted text", "don't want `a`, got `a`", "don't want `a`, got `a`", sdk.Diff{}},
		{"a comparison with a value", "x != 5, want it", "x != 5, want it", sdk.Diff{}},
		{"instead at the end", "expected 5, but got 6 instead", "expected 5, but got 6 instead", sdk.Diff{Got: "6", Want: "5"}},
		{"a comma before but was", "expected <1>, but was <2>", "expected <1>, but was <2>", sdk.Diff{Got: "<2>", Want: "<1>"}},
		{"a remark before its end", "wrong (got=1, want=2) in f(x)", "wrong (got=1, want=2) in f(x)", sdk.Diff{}},
		{"a remark before a colon", "wrong (got 1, want 2): f", "wrong (got 1, want 2): f", sdk.Diff{}},
		{"a struct", "&{Name:a Got:5 Want:6}", "&{Name:a Got:5 Want:6}", sdk.Diff{}},
		{"a map", "map[got:1, want:2] lost", "map[got:1, want:2] lost", sdk.Diff{}},
		{"words in apostrophes", "got 'a, want b', want 'c'", "got 'a, want b', want 'c'", sdk.Diff{}},
		{"words in backquotes", "got `a, want b`, want `c`", "got `a, want b`, want `c`", sdk.Diff{}},
		{"what was to happen", "wanted to have 3 items, got 4", "wanted to have 3 items, got 4", sdk.Diff{}},
		{"an order", "you have to log in, expected status 200", "you have to log in, expected status 200", sdk.Diff{}},
		{"a clause", "expected that x is 5, got 6", "expected that x is 5, got 6", sdk.Diff{}},
		{"a diff that begins beside its legend", "mismatch(-want, +got):   T({\n-   A: 1,\n+   A: 2,\n  })", "mismatch(-want, +got):", sdk.Diff{Text: "  T({\n-   A: 1,\n+   A: 2,\n  })"}},
		{"a demand", "expected server to respond, but got timeout", "expected server to respond, but got timeout", sdk.Diff{}},
		{"two sentences", "Expected 5. Got 6.", "Expected 5. Got 6.", sdk.Diff{Got: "6", Want: "5"}},
		{"the other two sentences", `F() got "a". want "b"`, `F() got "a". want "b"`, sdk.Diff{Got: `"a"`, Want: `"b"`}},
		{"nothing between got and want", "case 2: got [1 2] want [1 3]", "case 2: got [1 2] want [1 3]", sdk.Diff{Got: "[1 2]", Want: "[1 3]"}},
		{"but and no comma", "got 1 but expected 2", "got 1 but expected 2", sdk.Diff{Got: "1", Want: "2"}},
		{"result want", `F("x", 1) = 3 want 4`, `F("x", 1) = 3 want 4`, sdk.Diff{Got: "3", Want: "4"}},
		{"a result without blanks", "F()=3, want 4", "F()=3, want 4", sdk.Diff{Got: "3", Want: "4"}},
		{"was", `tag was "a"; want "b"`, `tag was "a"; want "b"`, sdk.Diff{Got: `"a"`, Want: `"b"`}},
		{"returned", "Read() returned EOF, want nil", "Read() returned EOF, want nil", sdk.Diff{Got: "EOF", Want: "nil"}},
		{"received", "expected 3 items, but received 2", "expected 3 items, but received 2", sdk.Diff{Got: "2", Want: "3 items"}},
		{"a result of a comparison", "a == b = false, want true", "a == b = false, want true", sdk.Diff{Got: "false", Want: "true"}},
		{"an adjective", "got what the test expected to see", "got what the test expected to see", sdk.Diff{}},
		{"how something came about", "update received with error: EOF, want nil", "update received with error: EOF, want nil", sdk.Diff{}},
		{"a list that continues", "Expected retries, found none [{skew:\nno token}]", "Expected retries, found none [{skew:\nno token}]", sdk.Diff{}},
		{"signs", "mismatch: got - want +", "mismatch: got - want +", sdk.Diff{}},
		{"labels that end lines", "case a: got:\nx\ny\nwant:\nx\nz", "case a:", sdk.Diff{Got: "x\ny", Want: "x\nz"}},
		{"words that end lines", "trees differ, got\nx\ny\n, but expected\nx\nz", "trees differ", sdk.Diff{Got: "x\ny", Want: "x\nz"}},
		{"labels of several words", "Got errors:\nx\nwant errors:\ny", "values differ:", sdk.Diff{Got: "x", Want: "y"}},
		{"words of a label that demand", "Got output:\nxy\nwant prefix:\ny", "Got output:\nwant prefix:", sdk.Diff{Got: "xy", Want: "y"}},
		{"a label within a sentence", "not what was expected:\nx\ngot:\ny", "not what was expected:\nx\ngot:\ny", sdk.Diff{}},
		{"an adjective of two", "actual key a differs from expected key b", "actual key a differs from expected key b", sdk.Diff{}},
		{"an adjective before a list", "diff between actual error and expected error:\nx", "diff between actual error and expected error:\nx", sdk.Diff{}},
		{"an adjective before both values", "paths differ from expected paths. Got: 1, want 2", "paths differ from expected paths. Got: 1, want 2", sdk.Diff{Got: "1", Want: "2"}},
		{"a sentence before both values", "Got a wrong error; got 1, want 2", "Got a wrong error; got 1, want 2", sdk.Diff{Got: "1", Want: "2"}},
		{"several pairs", "got 1 context, want 2. got: x, want: y", "got 1 context, want 2. got: x, want: y", sdk.Diff{Got: "x", Want: "y"}},
		{"a quoted pair", `got "a", want "b. got: x, want: y"`, `got "a", want "b. got: x, want: y"`, sdk.Diff{Got: `"a"`, Want: `"b. got: x, want: y"`}},
		{"an error of a parser", "got error: expected word, want nil", "got error: expected word, want nil", sdk.Diff{Got: "error: expected word", Want: "nil"}},
		{"a colon before want", "Has(1) = false: want true", "Has(1) = false: want true", sdk.Diff{Got: "false", Want: "true"}},
		{"a comma at the end", "got 1 but want 2,", "got 1 but want 2,", sdk.Diff{Got: "1", Want: "2"}},
		{"the last of several results", "read: 1, 2, eof=false; want 0, 0, eof=true", "read: 1, 2, eof=false; want 0, 0, eof=true", sdk.Diff{}},
		{"a result that is a URL with a query", "url=http://x/?a=1, want http://y", "url=http://x/?a=1, want http://y", sdk.Diff{}},
		{"a result of the last call", `Get("a=b?c").Len(1, 2)=3, want 4`, `Get("a=b?c").Len(1, 2)=3, want 4`, sdk.Diff{Got: "3", Want: "4"}},
		{"a result and its length", "Hash(1, 2)=ab (len=2), want cd", "Hash(1, 2)=ab (len=2), want cd", sdk.Diff{Got: "ab (len=2)", Want: "cd"}},
		{"marked labels", "F():\n-- got --\nx\n-- want --\ny\n-- diff --\nz", "F():\n-- diff --\nz", sdk.Diff{Got: "x", Want: "y"}},
		{"one label", "does not match what was expected:\nx", "does not match what was expected:\nx", sdk.Diff{}},
		{"an error that reads like a demand", "want nil, got failed to open x.", "want nil, got failed to open x.", sdk.Diff{Got: "failed to open x.", Want: "nil"}},
		{"only got", "got nothing", "got nothing", sdk.Diff{}},
		{"go-cmp", "mismatch (-want +got):\n  T{\n-\u00a0\tA: 1,\n+\u00a0\tA: 2,\n  }", "mismatch (-want +got):", sdk.Diff{Text: "  T{\n- \tA: 1,\n+ \tA: 2,\n  }"}},
		{"Diff marker", "values differ\nDiff:\n-a\n+b", "values differ", sdk.Diff{Text: "-a\n+b"}},
		{"values that are diffs", "Diff:\ngot:\n  {\n- \t3,\n+ \t4,\n  }\n\nwant:\n  {\n- \t33,\n+ \t4,\n  }\n\ndiff: (-want +got)\n  (\n- - \t33,\n+ - \t3,\n  )\n\nreason: x", "Diff:\ndiff: (-want +got)\nreason: x",
			sdk.Diff{Got: "  {\n- \t3,\n+ \t4,\n  }", Want: "  {\n- \t33,\n+ \t4,\n  }", Text: "  (\n- - \t33,\n+ - \t3,\n  )"}},
		{"values below a marker", "Diff:\nexpected:\n  a\nactual:\n  b", "Diff:", sdk.Diff{Got: "b", Want: "a"}},
		{"unified", "assertion failed:\n--- ←\n+++ →\n-a\n+b", "assertion failed:", sdk.Diff{Text: "--- ←\n+++ →\n-a\n+b"}},
		{"a diff below an underlined heading", "case 1\nActual\n-----\n<i>\n\nDiff\n---------\n- | <em>\n+ | <i>\n  |", "case 1\nActual\n-----\n<i>\n\nDiff\n---------", sdk.Diff{Text: "- | <em>\n+ | <i>\n  |"}},
		{"a list below an underlined heading", "missing\n-------\n+ a", "missing\n-------\n+ a", sdk.Diff{}},
		{"stacks that are compared", "stacks differ\ngot:\nm.f\n\t/m/a.go:1\nm.g\n\t/m/a.go:2\nwant:\nm.f\n\t/m/a.go:1", "stacks differ", sdk.Diff{Got: "m.f\n\t/m/a.go:1\nm.g\n\t/m/a.go:2", Want: "m.f\n\t/m/a.go:1"}},
		{"stacks of one error", "a\nm.f\n\t/m/a.go:1\ntesting.tRunner\n\t/go/testing.go:9\nb\nm.f\n\t/m/a.go:1", "a\nm.f\n\t/m/a.go:1\nb", sdk.Diff{}},
		{"nothing but calls of Go", "testing.tRunner\n\t/go/testing.go:9", "testing.tRunner\n\t/go/testing.go:9", sdk.Diff{}},
		{"no diff follows", "no diff:", "no diff:", sdk.Diff{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			message, diff := Read(strings.Split(tt.text, "\n"))
			if message != tt.message || diff != tt.diff {
				t.Errorf("message %q, diff %+v\nwant    %q, diff %+v", message, diff, tt.message, tt.diff)
			}
		})
	}
}

func TestQuicktestMessages(t *testing.T) {
	text := strings.Split("\ncomment:\n  hello\nerror:\n  values are not deep equal\ndiff (-got +want):\n    T{\n  - \tA: 1,\n    }\ngot:\n  T{A:1}\nwant:\n  T{A:2}\nstack:\n  /x/a_test.go:39\n    c.Check()\n", "\n")
	if !isSections(text) {
		t.Fatal("not recognized")
	}
	message, diff := readSections(text)
	if message != "values are not deep equal: hello" {
		t.Errorf("message is %q", message)
	}
	if want := (sdk.Diff{Got: "T{A:1}", Want: "T{A:2}", Text: "(-got +want)\n  T{\n- \tA: 1,\n  }"}); diff != want {
		t.Errorf("diff is %+v, want %+v", diff, want)
	}
}
