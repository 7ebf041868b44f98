package git

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/internal/needs"
)

func TestEveryCommandIsGuarded(t *testing.T) {
	dir := t.TempDir()
	user := []string{
		"HOME=/home/a", "LANGUAGE=de", "LC_ALL=de_DE", "PWD=/elsewhere", "GIT_DIR=/x", "git_external_diff=/x", "GIT_CONFIG_COUNT=1", "GIT_ALLOW_PROTOCOL=ext",
		"GIT_SSH_COMMAND=/x", "GIT_TRACE=/x", "PATH=/bin",
	}
	before := slices.Clone(user)
	guards := []string{"GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_TERMINAL_PROMPT=0", "GIT_FLUSH=1", "LC_ALL=C"}
	g := New("/bin/git", user).In(dir)
	for _, c := range []struct {
		git  Git
		want []string
	}{
		{g, slices.Concat([]string{"HOME=/home/a", "PATH=/bin"}, guards, []string{"PWD=" + dir})},
		{g.Alone("/own"), slices.Concat([]string{"PATH=/bin"}, guards, []string{
			"HOME=/own", "XDG_CONFIG_HOME=/own", "USERPROFILE=/own", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_ATTR_NOSYSTEM=1", "PWD=" + dir,
		})},
	} {
		cmd := c.git.Command(t.Context(), "ls-files", "-z")
		if !slices.Equal(cmd.Env, c.want) {
			t.Errorf("the environment is %q, want %q", cmd.Env, c.want)
		}
		want := "--no-pager -c core.fsmonitor=false -c core.hooksPath=/dev/null -c protocol.allow=never ls-files -z"
		if got := strings.Join(cmd.Args[1:], " "); got != want || cmd.Dir != dir || cmd.WaitDelay == 0 {
			t.Errorf("git %s in %s, want %s", got, cmd.Dir, want)
		}
	}
	if !slices.Equal(user, before) {
		t.Error("the user's environment was changed")
	}
}

func TestAnAnswerIsBoundedHoweverItIsCopied(t *testing.T) {
	b := &bounded{most: 10}
	// As os/exec does it: a writer with ReadFrom would not be bounded.
	if n, err := io.Copy(b, struct{ io.Reader }{strings.NewReader("123456789012")}); n != 12 || err != nil {
		t.Error(n, err)
	}
	if b.kept.String() != "1234567890" || !b.over {
		t.Errorf("kept %q, over %v", b.kept.String(), b.over)
	}
}

func TestWhatGitSaysIsTheEndInOneLine(t *testing.T) {
	var w Words
	w.Write([]byte(strings.Repeat("x", 3*maxWords)))
	w.Write([]byte("\n\nfatal: no\xff\n"))
	if got := w.String(); len(got) > maxWords+2 || !strings.HasSuffix(got, "x fatal: no\uFFFD") {
		t.Errorf("%d bytes, ending in %q", len(got), got[len(got)-20:])
	}
}

func TestAnErrorNamesTheCommandAndWhatGitSaid(t *testing.T) {
	g, dir := here(t)
	_, err := g.Line(t.Context(), "-c", "a.b=c", "rev-parse", "--verify", "HEAD")
	var failed *Error
	if !errors.As(err, &failed) || failed.Command != "rev-parse" || failed.Dir != dir ||
		!strings.HasPrefix(failed.Detail, "fatal: ") || !Exited(err, Failed) || Detail(err) != failed.Detail {
		t.Errorf("%+v", err)
	}
	late, end := Within(t.Context(), 0)
	defer end()
	if _, err := g.Run(late, "rev-parse"); !errors.As(err, &failed) || !strings.HasSuffix(err.Error(), "no answer: it takes longer than 0s") {
		t.Errorf("late: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := g.Run(ctx, "rev-parse"); !errors.Is(err, context.Canceled) || errors.As(err, &failed) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestRecordsAreReadUntilTheReaderHasEnough(t *testing.T) {
	g, dir := here(t)
	for _, name := range []string{"a", "b", "c"} {
		if err := os.WriteFile(dir+"/"+name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for most, want := range map[int]string{1: "a", 2: "a b", 9: "a b c"} {
		var names []string
		err := g.Each(t.Context(), func(name string) bool {
			names = append(names, name)
			return len(names) < most
		}, "ls-files", "--others", "-z")
		if got := strings.Join(names, " "); got != want || err != nil {
			t.Errorf("%d: %q, %v", most, got, err)
		}
	}
	var got []string
	r := &records{yield: func(s string) bool { got = append(got, s); return true }}
	for _, part := range []string{"on", "e\x00" + strings.Repeat("x", 2*maxLine), "x\x00two\x00"} {
		r.Write([]byte(part))
	}
	if !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("with one that is too long: %.50q", got)
	}
}

// here is git in an empty repository.
func here(t *testing.T) (Git, string) {
	t.Helper()
	dir := t.TempDir()
	g := New(needs.Program(t, "git"), os.Environ()).Alone(dir).In(dir)
	if _, err := g.Line(t.Context(), "init", "--quiet", "--template=", "."); err != nil {
		t.Fatal(err)
	}
	return g, dir
}
