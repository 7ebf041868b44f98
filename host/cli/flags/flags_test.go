package flags

import (
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

func TestARevisionMayFollowItsFlag(t *testing.T) {
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
		var r Revision
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		flags.Var(&r, "diff", "since this `REV`")
		flags.Lookup("diff").NoOptDefVal = bareRevision
		err := flags.Parse(strings.Fields(c.given))
		var rev string
		var rest []string
		if err == nil {
			rev, rest, err = r.Take(flags.Args())
		}
		if rev != c.rev || len(rest) != c.rest || (err != nil) != c.fails {
			t.Errorf("%q: %q, %q, %v; want %q and %d more", c.given, rev, rest, err, c.rev, c.rest)
		}
		if usage := flags.FlagUsages(); !strings.Contains(usage, "--diff REV   since this REV") {
			t.Errorf("the help is %q", usage)
		}
	}
	empty := Revision{Given: true, bare: true}
	if _, _, err := empty.Take([]string{""}); err == nil {
		t.Error("an empty argument is taken for a revision")
	}
}

func TestABudgetThatIsTooLargeIsNotReducedInSilence(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ given, want string }{
		{"1800", ""},
		{"30m", ""},
		{"0", ""},
		{"1801", "--budget 1801 exceeds the maximum: 1800s is used"},
		{"1h", "--budget 3600 exceeds the maximum: 1800s is used"},
		{"1e300", "--budget 1000000 exceeds the maximum: 1800s is used"},
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

func TestASizeHasAUnitOrNone(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"12": 12, "12B": 12, "3KB": 3000, "3 KiB": 3072, "500MB": 500_000_000, "1GiB": 1 << 30, "2GB": 2_000_000_000, "0": 0,
	} {
		if got, err := parseSize(text); err != nil || got != want {
			t.Errorf("%s is %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "MB", "-1", "1.5GB", "1TBB", "9999999999999GB", "1mb"} {
		if got, err := parseSize(text); err == nil {
			t.Errorf("%q is %d", text, got)
		}
	}
}

// pflag skips flags of test binaries: what a user narrowed would run whole, or the
// other way around.
func TestAFlagOfATestBinaryIsNotSkipped(t *testing.T) {
	root := &cobra.Command{Use: "proctor"}
	root.AddCommand(&cobra.Command{Use: "run [flags] [-- RUNNER ARGS]", Run: func(*cobra.Command, []string) {}})
	declare := func() ([]sdk.RunnerFlag, error) { return []sdk.RunnerFlag{{Name: "-run", Value: "REGEX"}}, nil }
	for _, word := range []string{"-test.run=TestA", "--test.short"} {
		if moved, err := MoveRunnerFlags(root, []string{"run", word}, declare); err == nil {
			t.Errorf("%s: %q", word, moved)
		}
	}
}
