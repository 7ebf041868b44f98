package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/proctorhq/proctor/host/api"
)

func TestARevisionMayStandBehindItsFlag(t *testing.T) {
	for _, c := range []struct {
		given string
		rev   string
		rest  int
		fails bool
	}{
		{given: "", rev: ""},
		{given: "a.go", rev: "", rest: 1},
		{given: "--diff", rev: "HEAD"},
		{given: "--diff main", rev: "main"},
		{given: "main --diff", rev: "main"},
		{given: "--diff HEAD a.go", rev: "HEAD", rest: 1},
		{given: "--diff=main", rev: "main"},
		{given: "--diff=HEAD a.go", rev: "HEAD", rest: 1},
		{given: "--diff=main --diff", rev: "HEAD"},
		{given: "--diff=", fails: true},
	} {
		var r revision
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		flags.Var(&r, "diff", "since this `REV`")
		flags.Lookup("diff").NoOptDefVal = bareRevision
		err := flags.Parse(strings.Fields(c.given))
		var rev string
		var rest []string
		if err == nil {
			rev, rest, err = r.take(flags.Args())
		}
		if rev != c.rev || len(rest) != c.rest || (err != nil) != c.fails {
			t.Errorf("%q: %q, %q, %v; want %q and %d more", c.given, rev, rest, err, c.rev, c.rest)
		}
		if usage := flags.FlagUsages(); !strings.Contains(usage, "--diff REV   since this REV") {
			t.Errorf("the help is %q", usage)
		}
	}
	empty := revision{given: true, bare: true}
	if _, _, err := empty.take([]string{""}); err == nil {
		t.Error("an empty argument is taken for a revision")
	}
}

func TestABudgetThatIsTooLargeIsNotReducedInSilence(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ given, want string }{
		{"1800", ""},
		{"30m", ""},
		{"0", ""},
		{"1801", "--budget 1801: 1800s is the most, and is what it has"},
		{"1h", "--budget 3600: 1800s is the most, and is what it has"},
		{"1e300", "--budget 1000000: 1800s is the most, and is what it has"},
	} {
		var timeout time.Duration
		f := &paramValue{param: api.Param{Value: &timeout, Flag: "budget", Max: 1800}}
		if err := f.Set(c.given); err != nil {
			t.Fatal(err)
		}
		got := ""
		if f.asked != "" {
			got = f.clampNote()
		}
		if got != c.want || timeout > 30*time.Minute {
			t.Errorf("%s: %v, %q; want %q", c.given, timeout, got, c.want)
		}
	}
}
