package parse

import (
	"cmp"
	"strings"

	"github.com/proctorhq/proctor/plugins/go/internal/wording"
	"github.com/proctorhq/proctor/sdk"
)

const (
	// fuzzRerun introduces the input that failed.
	fuzzRerun = "go test -run="
	// fuzzSeed does so for an input that was already in the corpus.
	fuzzSeed = "failure while testing seed corpus entry: "
)

// examineFuzz explains a fuzz target for which fuzzing found an input. Its
// text is the plain report of a nested test:
//
//	--- FAIL: FuzzX (0.01s)
//	    --- FAIL: FuzzX (0.00s)
//	        a_test.go:9: saw "000"
//
//	    Failing input written to testdata/fuzz/FuzzX/d503c9c96aac93cf
//	    To re-run:
//	    go test -run=FuzzX/d503c9c96aac93cf
func (x *examiner) examineFuzz(s *suite, t *test, f *finding) bool {
	if !strings.HasPrefix(t.name, "Fuzz") {
		return false
	}
	target := ""
	for _, l := range f.lines {
		for _, start := range []string{fuzzRerun, fuzzSeed} {
			if rest, found := strings.CutPrefix(strings.TrimSpace(l.text), start); found {
				target = strings.Trim(rest, "'\"")
			}
		}
	}
	nested := nestedReport(f.lines, t.name)
	if target == "" && len(nested) == 0 {
		return false
	}
	f.kind, f.own, f.repro = sdk.KindFuzz, true, target
	if target != "" {
		f.set("fuzz_input", "testdata/fuzz/"+target)
	}
	x.examineNested(s, nested, f)
	if f.message == "" {
		f.message = "fuzzing found a failing input"
	}
	return true
}

// nestedReport returns the part of the text below the inner "--- FAIL" line, indented
// like that of an ordinary test.
func nestedReport(lines []line, name string) []line {
	from := -1
	for i, l := range lines {
		if strings.HasPrefix(l.text, "    --- FAIL: "+name) {
			from = i + 1
		}
	}
	if from < 0 {
		return nil
	}
	var nested []line
	for _, l := range lines[from:] {
		rest, found := strings.CutPrefix(l.text, indent[:4])
		if !found || strings.HasPrefix(rest, "Failing input written") {
			break
		}
		nested = append(nested, line{text: rest, kind: l.kind})
	}
	return nested
}

// examineNested parses the message or the panic of the inner test.
func (x *examiner) examineNested(s *suite, nested []line, f *finding) {
	anchor := f.anchor
	found := findBlocks(nested)
	for _, b := range found {
		if b.fromTesting() && strings.HasPrefix(b.text[0], "panic: ") {
			text := append([]string{suitePanic + strings.TrimPrefix(b.text[0], "panic: ")}, wording.Dedent(b.text[1:])...)
			c, _ := readSuitePanic(x.tree, s, text)
			f.message, f.stack, f.location = c.message, c.stack, cmp.Or(c.at, f.location)
			f.set("cause", sdk.KindPanic)
			return
		}
	}
	inner := finding{}
	x.examineBlocks(s, found, &inner)
	f.location, f.testFrame, f.message, f.diff, f.also = inner.location, inner.testFrame, inner.message, inner.diff, inner.also
	if f.message == "" {
		texts := make([]string, 0, len(nested))
		for _, l := range nested {
			texts = append(texts, l.text)
		}
		f.message = wording.Tidy(wording.Dedent(texts))
	}
	f.anchor = anchor
}
