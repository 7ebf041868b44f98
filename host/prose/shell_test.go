package prose_test

import (
	"slices"
	"testing"

	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/sdk"
)

func TestACommandIsShownWithoutWhatIsNewEachTime(t *testing.T) {
	for _, tc := range []struct {
		argv []string
		want string
	}{
		{nil, ""},
		{[]string{"go", "test", "-run", "^(TestA|TestB)$", "./..."}, "go test -run '^(TestA|TestB)$' ./..."},
		{[]string{"/usr/bin/node", "--test", "--reporter=" + sdk.Scratch + "/reporter-673adedef483bb90.mjs", "a.mjs"}, "node --test --reporter={scratch}/… a.mjs"},
		{[]string{`C:\Program Files\node.exe`, "-x"}, "node.exe -x"},
		{[]string{"x", sdk.Scratch}, "x '{scratch}'"},
		{[]string{"x", "a b=" + sdk.Scratch + "/f", "it's"}, `x 'a b={scratch}/…' 'it'\''s'`},
		{[]string{"x", "-p=" + sdk.Scratch + "/one.js:" + sdk.Scratch + "/two.js"}, "x -p={scratch}/…:{scratch}/…"},
		{[]string{"x", ""}, "x ''"},
	} {
		if got := prose.CommandLine(tc.argv); got != tc.want {
			t.Errorf("%q:\ngot  %s\nwant %s", tc.argv, got, tc.want)
		}
	}
}

func TestALineIsSplitAsByAShell(t *testing.T) {
	for line, want := range map[string][]string{
		"":                       nil,
		"  notify-send  done\t":  {"notify-send", "done"},
		`a 'b c' "d e"f ''`:      {"a", "b c", "d ef", ""},
		`a\ b "\$x \" \n" '\'`:   {"a b", `$x " \n`, `\`},
		"$HOME `x` $(y) ; > | *": {"$HOME", "`x`", "$(y)", ";", ">", "|", "*"},
		prose.ShellLine([]string{"it's", "ä b"}): {"it's", "ä b"},
	} {
		if got, err := prose.SplitShellLine(line); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", line, got, err)
		}
	}
	for _, line := range []string{"'a", `"a`, `a\`} {
		if got, err := prose.SplitShellLine(line); err == nil {
			t.Errorf("%s: %q", line, got)
		}
	}
}
