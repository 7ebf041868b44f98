package parse

import (
	"fmt"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/sdk"
)

// raceReport returns what the race detector prints about two accesses.
func raceReport(first, second string) string {
	access := func(what, function string) string {
		name, line, _ := cutLast(function, " ")
		return fmt.Sprintf("%s at 0x00c000018258 by goroutine 8:\n  %s.%s()\n      /src/m/a_test.go:%s +0x33\n  testing.tRunner()\n      /usr/local/go/src/testing/testing.go:2036 +0x21c\n\n", what, pkg, name, line)
	}
	return "==================\nWARNING: DATA RACE\n" + access("Read", first) + access("Previous write", second) +
		"Goroutine 8 (running) created at:\n  testing.(*T).Run()\n      /usr/local/go/src/testing/testing.go:2101 +0xb12\n==================\n"
}

const noticed = "    testing.go:1712: race detected during execution of test\n"

func TestRacesAreBlamedOnTheTestsTheyName(t *testing.T) {
	both := func() *script { return new(script).start().run("TestA").run("TestB") }
	for _, tt := range []struct {
		name    string
		stream  *script
		blamed  string
		line    int
		victims string
	}{
		{"its own", new(script).start().run("TestA").out("TestA", raceReport("TestA.func1 9", "TestA 12")+noticed).end("fail", "TestA"), "TestA", 9, ""},
		{"text under another test", both().out("TestB", raceReport("TestA.func1 9", "TestA 12")).out("TestA", noticed).end("fail", "TestA").end("pass", "TestB"), "TestA", 9, ""},
		{"others fail too", both().out("TestB", raceReport("TestA.func1 9", "TestA 12")).out("TestA", noticed).end("fail", "TestA").out("TestB", noticed).end("fail", "TestB"), "TestA", 9, "TestB"},
		{"only others fail", new(script).start().run("TestA").end("pass", "TestA").run("TestB").out("TestB", raceReport("TestA.func1 9", "TestA 12")+noticed).end("fail", "TestB"), "TestA", 9, "TestB"},
		{"of a helper", new(script).start().run("TestA").out("TestA", raceReport("worker 3", "worker 4")+noticed).end("fail", "TestA"), "TestA", 3, ""},
		{"parent of a subtest", new(script).start().run("TestA").run("TestA/x").out("TestA/x", raceReport("TestA.func1.1 9", "TestA.func1 12")+noticed).end("fail", "TestA/x").out("TestA", noticed).end("fail", "TestA"), "TestA/x", 9, "TestA"},
		{"ends the process", new(script).start().run("TestA").out("TestA", raceReport("TestA.func1 9", "TestA 12")+"exit status 66\n"), "TestA", 9, ""},
		{"outside of tests", new(script).start().run("TestA").end("pass", "TestA").out("", "PASS\n"+raceReport("TestMain.func1 9", "TestMain 12")+"Found 1 data race(s)\nexit status 66\n"), "", 9, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := parseStream(recorded, tt.stream.completed("fail").String(), red)
			f := got.failure(t, tt.blamed)
			if f.Kind != sdk.KindRace || f.Location.Line != tt.line || len(got.failures) != 1 {
				t.Errorf("%d failures, the first %s %q at %v", len(got.failures), f.Kind, f.Message, f.Location)
			}
			for _, r := range got.tests {
				if r.Status == sdk.Failed && r.Derived != (r.Test == tt.victims) {
					t.Errorf("%s: derived is %v", r.Test, r.Derived)
				}
			}
		})
	}
}

// That a test failed for another reason before must not hide its race, which no retry
// disproves.
func TestARaceIsReportedBesideAnEarlierFailure(t *testing.T) {
	failed := func() *script {
		return new(script).start().run("TestA").out("TestA", "    a_test.go:5: bad\n").end("fail", "TestA")
	}
	race := raceReport("TestA.func1 9", "TestA 12") + noticed
	for name, s := range map[string]*script{
		"TestA": failed().run("TestB").out("TestB", race).end("fail", "TestB"),
		"":      failed().run("TestA").out("TestA", race).end("fail", "TestA"), // the text of a second attempt is not kept
	} {
		got := parseStream(recorded, s.completed("fail").String(), red)
		var kinds []string
		for _, f := range got.failures {
			kinds = append(kinds, f.Test+" "+f.Kind)
		}
		if want := "TestA assertion, " + name + " race"; strings.Join(kinds, ", ") != want {
			t.Errorf("%q, want %q", kinds, want)
		}
	}
}

func TestRacesNameBothAccesses(t *testing.T) {
	f := parseStream(recorded, new(script).start().run("TestA").out("TestA", raceReport("TestA.func1 9", "TestA 12")+
		"    a_test.go:20: also wrong\n"+noticed).end("fail", "TestA").completed("fail").String(), red).failure(t, "TestA")
	if !strings.Contains(f.Message, "read in m.TestA.func1") || !strings.Contains(f.Message, "previous write in m.TestA") {
		t.Errorf("message is %q", f.Message)
	}
	if len(f.Also) != 2 || f.Also[0].Location.Line != 12 || f.Also[1].Message != "also wrong" {
		t.Errorf("also %v", f.Also)
	}
}

func TestRacesAreBounded(t *testing.T) {
	s := new(script).start().run("TestA")
	for range 200 {
		s.out("TestA", raceReport("TestA.func1 9", "TestA 12"))
	}
	got := parseStream(recorded, s.out("TestA", noticed).end("fail", "TestA").completed("fail").String(), red)
	got.failure(t, "TestA")
	var r raceReader
	for range 100 {
		r.read("TestA", []byte(`WARNING: DATA RACE\n`))
		for range 1000 {
			r.read("TestA", []byte(`text\n`))
		}
		r.read("TestA", []byte(`==================\n`))
	}
	if len(r.races) != maxRaces || len(r.races[0].lines) != maxRaceLines {
		t.Errorf("%d reports of %d lines are held", len(r.races), len(r.races[0].lines))
	}
}
