package cli

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/cli/flags"
	"github.com/proctorhq/proctor/host/cli/help"
	"github.com/proctorhq/proctor/sdk"
)

func commands(cmd *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{cmd}
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			all = append(all, commands(c)...)
		}
	}
	return all
}

// generated is a command that is not ours to describe.
func generated(cmd *cobra.Command) bool {
	return strings.HasPrefix(cmd.CommandPath(), "proctor completion")
}

func TestEveryCommandIsUnderOneHeading(t *testing.T) {
	t.Parallel()
	root := (&app{}).command()
	var listed []string
	for _, g := range help.Groups() {
		listed = append(listed, g.Commands...)
	}
	listed = append(listed, help.Others()...)
	slices.Sort(listed)
	var there []string
	for _, c := range root.Commands() {
		there = append(there, c.Name())
	}
	slices.Sort(there)
	if !slices.Equal(listed, there) {
		t.Errorf("headings have %v\ncommands are %v", listed, there)
	}
}

func TestWhatHelpTextsNameExists(t *testing.T) {
	t.Parallel()
	root := (&app{}).command()
	named := regexp.MustCompile(`proctor ([a-z]+(?: [a-z]+)?)`)
	for _, c := range commands(root) {
		if generated(c) {
			continue
		}
		also := help.SeeAlso(strings.TrimPrefix(c.CommandPath(), "proctor "))
		for _, m := range named.FindAllStringSubmatch(also, -1) {
			if found, _, err := root.Find(strings.Fields(m[1])); err != nil || found == root {
				t.Errorf("%s: see also %s: there is no such command", c.CommandPath(), m[0])
			}
		}
	}
}

// TestExamplesParse holds every example of every help to the flags and arguments that
// the commands take.
func TestExamplesParse(t *testing.T) {
	t.Parallel()
	for _, c := range commands((&app{}).command()) {
		if generated(c) {
			continue
		}
		if !c.HasExample() && !c.HasAvailableSubCommands() && c.HasLocalFlags() {
			t.Errorf("%s has no example", c.CommandPath())
		}
		for line := range strings.Lines(c.Example) {
			for part := range strings.SplitSeq(strings.Split(line, " | jq")[0], "&&") {
				example(t, c, part)
			}
		}
	}
}

var (
	comment     = regexp.MustCompile(`\S {2,}\S.*$`)
	redirection = regexp.MustCompile(` [<>] .*$`)
	quoted      = regexp.MustCompile(`'[^']*'|"[^"]*"`)
)

func example(t *testing.T, of *cobra.Command, text string) {
	t.Helper()
	text = strings.TrimSpace(text)
	if i := strings.Index(text, "proctor "); i >= 0 {
		text = text[i:]
	} else if !strings.HasPrefix(text, "proctor") {
		return
	}
	if at := comment.FindStringIndex(text); at != nil {
		text = text[:at[0]+1]
	}
	if at := redirection.FindStringIndex(text); at != nil {
		text = text[:at[0]]
	}
	words := strings.Fields(quoted.ReplaceAllStringFunc(text, func(q string) string { return strings.ReplaceAll(q[1:len(q)-1], " ", "_") }))
	var out bytes.Buffer
	root := (&app{}).command()
	root.SetOut(&out)
	moved, err := flags.MoveRunnerFlags(root, words[1:], func() ([]sdk.RunnerFlag, error) {
		return []sdk.RunnerFlag{{Name: "-race"}, {Name: "-tags", Value: "TAGS"}}, nil
	})
	cmd, args := root, moved
	if err == nil {
		cmd, args, err = root.Find(moved)
	}
	if err == nil {
		err = cmd.ParseFlags(args)
	}
	if err == nil {
		err = cmd.ValidateArgs(cmd.Flags().Args())
	}
	if err != nil {
		t.Errorf("%s: the example %q: %v", of.CommandPath(), text, err)
	}
}

func TestHelpTextsFitATerminal(t *testing.T) {
	t.Parallel()
	for _, c := range commands((&app{}).command()) {
		if generated(c) {
			continue
		}
		for line := range strings.Lines(c.Long) {
			if n := len([]rune(strings.TrimSpace(line))); n > 90 {
				t.Errorf("%s: a line of %d: %s", c.CommandPath(), n, line)
			}
		}
		var out bytes.Buffer
		c.SetOut(&out)
		if err := c.Usage(); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(out.String(), " string ") || strings.Contains(out.String(), " int ") {
			t.Errorf("%s: a flag's value is named by its Go type:\n%s", c.CommandPath(), out.String())
		}
	}
}

// What no language of the workspace takes only hides the rest.
func TestHelpShowsWhatTheLanguagesOfTheWorkspaceTake(t *testing.T) {
	t.Parallel()
	inGo := newModule(t, files{"a/a_test.go": tests("a", "TestA", pass)})
	for _, c := range []struct {
		args      []string
		has, lack []string
	}{
		{[]string{"run", "--help"}, []string{"--package", "--cover", "Flags of the runner (go)", " -race ", "packages"}, []string{"--match-path", "--evm-version", "--seed", "--precise", "--lang", "Foundry", "suite"}},
		{[]string{"help", "run"}, []string{"--package"}, []string{"--match-contract"}},
		{[]string{"--help"}, []string{"failures"}, []string{"\n  gas "}},
	} {
		text := inGo.proctor(c.args...).stdout
		for _, want := range c.has {
			if !strings.Contains(text, want) {
				t.Errorf("proctor %s: no %q in\n%s", c.args, want, text)
			}
		}
		for _, other := range c.lack {
			if strings.Contains(text, other) {
				t.Errorf("proctor %s: %q in\n%s", c.args, other, text)
			}
		}
	}
	inFoundry := newModuleAt(t, t.TempDir(), files{"foundry.toml": "[profile.default]\n"})
	inFoundry.remove("go.mod")
	if text := inFoundry.proctor("run", "--help").stdout; strings.Contains(text, "--package") || !strings.Contains(text, "--match-path") || !strings.Contains(text, "--fork-url") {
		t.Error(text)
	}
	nowhere := newModuleAt(t, t.TempDir(), nil)
	nowhere.remove("go.mod")
	nowhere.proctor("run", "--help").expect(t, 0, "--package", "Foundry: only tests in files whose path matches GLOB")
}

func TestThePluginsThatDeclareFlagsServeTheCommand(t *testing.T) {
	t.Parallel()
	var notices bytes.Buffer
	a := &app{env: environment{Args: []string{"run", "-C", t.TempDir(), "-race"}, Stderr: &notices}}
	if _, err := declaredFlags(t.Context(), a); err != nil || a.dir != "" {
		t.Fatal(err, a.dir)
	}
	begun := a.begun
	k, done, err := a.keeper(t.Context())
	if err != nil || k != begun || a.begun != nil {
		t.Errorf("%v; the same: %v", err, k == begun)
	}
	done()
}

// The commands of a day's work are few; a newcomer meets no others in the list.
func TestTheListOfCommandsIsShort(t *testing.T) {
	t.Parallel()
	var listed []string
	for _, g := range help.Groups() {
		listed = append(listed, g.Commands...)
	}
	want := strings.Fields("run rerun watch triage merge failures output why diff history covering gas report quarantine doctor mcp plugin")
	if !slices.Equal(listed, want) {
		t.Errorf("%v, want %v", listed, want)
	}
}

// A terminal would break a line within a word. Only a command to paste may be wider.
func TestHelpsFitANarrowTerminal(t *testing.T) {
	t.Parallel()
	const columns = 60
	for _, c := range commands((&app{}).command()) {
		if generated(c) {
			continue
		}
		var out bytes.Buffer
		c.SetOut(&out)
		help.Help{Cmd: c, Columns: columns}.Write()
		for line := range strings.Lines(out.String()) {
			if n := len([]rune(strings.TrimRight(line, "\n"))); n > columns && !strings.Contains(c.Example, strings.TrimSpace(line)) {
				t.Errorf("%s: a line of %d: %s", c.CommandPath(), n, line)
			}
		}
	}
}

func TestACommandThatIsNamedFirstIsBuiltAlone(t *testing.T) {
	for _, c := range (&app{}).command().Commands() {
		if c.Name() == "help" || c.Name() == "completion" {
			continue
		}
		alone := (&app{env: environment{Args: []string{c.Name()}}}).command().Commands()
		if len(alone) != 1 || alone[0].UseLine() != c.UseLine() {
			t.Errorf("%s: %d commands, %q, want %q", c.Name(), len(alone), alone[0].UseLine(), c.UseLine())
		}
	}
}

// A question says package or contract even if nothing has run that could have told.
func TestAnswersAreInTheWordsOfTheLanguage(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a.go": "package a\n\nfunc A() int {\n\treturn 1\n}\n", "a/a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {\n\tA()\n}\n", "b/b_test.go": "package b\n\nvar x int = nothing\n"})
	w.proctor("covering", "a/a.go:4").expect(t, 0, "1 package may execute a/a.go:4")
	w.proctor("run").expect(t, 1, "DOES NOT BUILD")
	w.write(files{"a/c_test.go": "package a\n\nvar y int = nothing\n"})
	w.proctor("run").expect(t, 1, "DOES NOT BUILD")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"runs"}, "2 packages not built"},
		{[]string{"diff"}, "did not build 2 of its packages"},
		{[]string{"why", "TestA"}, "Its package did not build"},
		{[]string{"rerun", "--list"}, "2 packages outstanding"},
		{[]string{"failures"}, "DOES NOT BUILD"},
	} {
		r := w.proctor(c.args...)
		if text := r.stdout + r.stderr; !strings.Contains(text, c.want) || strings.Contains(text, "suite") {
			t.Errorf("proctor %s: no %q, or a suite in\n%s", c.args, c.want, text)
		}
	}
}

// A group alone prints its help, and what is no command of it is an error.
func TestEveryGroupAnswersAlike(t *testing.T) {
	t.Parallel()
	w := newShellModule(t, files{"p/p.tests": "TestA true\n"})
	for _, group := range []string{"quarantine", "plugin", "completion"} {
		if r := w.proctor(group); r.code != exitPassed || r.stderr != "" || !strings.Contains(r.stdout, "proctor "+group) {
			t.Errorf("%s: exit %d: %s%s", group, r.code, r.stdout, r.stderr)
		}
		if r := w.proctor(group, "nosuch"); r.code != exitUsage || r.stdout != "" || !strings.Contains(r.stderr, `unknown command "nosuch"`) {
			t.Errorf("%s nosuch: exit %d: %s%s", group, r.code, r.stdout, r.stderr)
		}
	}
}
