package testexec

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/plugins/go/internal/oscalls"
	"github.com/proctorhq/proctor/plugins/go/internal/testlog"
	"github.com/proctorhq/proctor/sdk"
)

func TestATestIsOpaqueIfItsDependenciesAreUnknown(t *testing.T) {
	type calls = map[oscalls.Call]bool
	measured := func(change func(*ran)) ran {
		r := ran{output: &testOutput{}, ended: &os.ProcessState{}, covered: true, logged: true}
		r.output.start([]byte("TestA"))
		if change != nil {
			change(&r)
		}
		return r
	}
	for _, test := range []struct {
		start, alone func(*ran)
		want         string
	}{
		{nil, nil, ""},
		{nil, func(r *ran) { r.timedOut = true }, "alone it did not end"},
		{nil, func(r *ran) { r.covered, r.why = false, "x" }, "what it executes alone is unknown: x"},
		{nil, func(r *ran) { r.output = &testOutput{} }, "it did not run alone"},
		{nil, func(r *ran) { r.logged = false }, "it left no log"},
		{nil, func(r *ran) { r.depends = testlog.Dependence{TooMany: true} }, "it looks at too many files"},
		{nil, func(r *ran) { r.depends = testlog.Dependence{Program: "sh"} }, "it may start another program: sh"},
		{nil, func(r *ran) { r.calls = calls{oscalls.Start: true} }, "it may start another program: one that is gone"},
		{nil, func(r *ran) { r.calls = calls{oscalls.Link: true} }, "it makes or reads links"},
		{nil, func(r *ran) { r.calls = calls{oscalls.Open: true} }, ""},
		{nil, func(r *ran) { r.calls = calls{oscalls.Other: true} }, "the sources of Go's package os"},
		{func(r *ran) { r.calls = calls{oscalls.Start: true} }, nil, "another program is started"},
		{func(r *ran) { r.calls = calls{oscalls.Open: true} }, nil, "files may be read"},
		{func(r *ran) { r.calls = calls{oscalls.Link: true} }, nil, "files may be read"},
		{func(r *ran) { r.calls = calls{oscalls.Other: true} }, nil, "the sources of Go's package os"},
	} {
		got := explainOpaque("TestA", measured(test.alone), measured(test.start))
		if !strings.Contains(got, test.want) || (got == "") != (test.want == "") {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

func TestGoIsFoundWhereTheGoCommandPutsIt(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(root+"/src/os", 0o755); err != nil {
		t.Fatal(err)
	}
	list := string(os.PathListSeparator)
	for _, test := range []struct {
		env  []string
		want string
	}{
		{nil, ""},
		{[]string{"PATH=" + root + "/bin" + list + "/usr/bin"}, root},
		{[]string{"PATH=/usr/bin" + list + root + "/bin"}, ""},
		{[]string{"PATH=/usr/bin", "GOROOT=" + root}, root},
		{[]string{"PATH=" + root + "/bin", "GOROOT=/elsewhere"}, root},
	} {
		if got := newUnseen(test.env).sources.Goroot; got != test.want {
			t.Errorf("%q: Go is in %q, want %q", test.env, got, test.want)
		}
	}
}

func TestWhatWasMeasuredBeforeTheDeadlineIsKept(t *testing.T) {
	measured := []sdk.TestCoverage{{Name: "TestA"}}
	for name, c := range map[string]struct {
		clock clock
		want  int
	}{
		"the time is up":           {clock{deadline: time.Now().Add(-time.Hour)}, 1},
		"a package has its budget": {clock{deadline: time.Now().Add(time.Hour), budget: 1}, 0},
		"there is no limit":        {clock{budget: 1}, 0},
	} {
		m := measurement{clock: c.clock}
		if got := m.keepMeasured(measured); len(got) != c.want {
			t.Errorf("%s: %d tests, want %d", name, len(got), c.want)
		}
	}
}
