package cli

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"
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
