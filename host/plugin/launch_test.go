//go:build unix

package plugin

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"

	"github.com/proctorhq/proctor/sdk"
)

// place replaces the plugin of a fixture by its own file.
func (f *fixture) place(t *testing.T, data []byte, mode os.FileMode) {
	t.Helper()
	path := f.config.Candidate.Path
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, mode); err != nil {
		t.Fatal(err)
	}
}

func TestWhatCannotBeStartedIsExplained(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	binary, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		data []byte
		mode os.FileMode
		says []string
	}{
		"not executable":    {binary, 0o600, []string{"not executable", "chmod +x"}},
		"not a program":     {[]byte("garbage\n"), 0o700, []string{"not a program for this system"}},
		"empty":             {nil, 0o700, []string{"not a program for this system"}},
		"no interpreter":    {[]byte("#!/nowhere/sh\n"), 0o700, []string{"interpreter"}},
		"another processor": {foreign(binary), 0o700, []string{"it was built for " + runtime.GOOS + "/" + strings.ToUpper(runtime.GOARCH), "this is " + runtime.GOOS + "/" + runtime.GOARCH, "build for this system"}},
		"another program":   {[]byte("#!/bin/sh\necho usage >&2\nexit 64\n"), 0o700, []string{"ended without a handshake (exited with status 64)", "is it a proctor plugin?", "usage"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, "good")
			f.place(t, c.data, c.mode)
			_, err := Start(t.Context(), f.config)
			var start *HandshakeError
			if !errors.As(err, &start) {
				t.Fatalf("got %T %v", err, err)
			}
			for _, text := range append(c.says, f.config.Candidate.Path) {
				if said := err.Error() + "\n" + start.Detail(); !strings.Contains(said, text) {
					t.Errorf("it does not say %q: %s", text, said)
				}
			}
		})
	}
}

// foreign turns a Go binary into one for a processor that does not exist.
func foreign(binary []byte) []byte {
	other := bytes.ReplaceAll(binary, []byte("GOARCH="+runtime.GOARCH), []byte("GOARCH="+strings.ToUpper(runtime.GOARCH)))
	machine := 4 // cputype of Mach-O
	if runtime.GOOS == "linux" {
		machine = 18 // e_machine of ELF
	}
	other[machine] = 0x7f
	return other
}

func TestForeignBinaryNeedsNoStart(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if reason := foreignBinary(self); reason != "" {
		t.Errorf("this very binary: %s", reason)
	}
}

func TestListingGoesThroughThePlugin(t *testing.T) {
	p := newFixture(t, "lister").start(t)
	plan, err := p.ListCmd(t.Context(), sdk.ListRequest{})
	if err != nil || len(plan.Commands) != 1 {
		t.Fatalf("ListCmd: %v %v", plan, err)
	}
	var list anyListSink
	s, err := p.ParseList(t.Context(), sdk.ListRequest{}, plan.Commands[0], &list)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Send(sdk.Stdout, []byte("TestA\nTestB\n")); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(sdk.Exit{}); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, got := range list.got {
		for _, test := range got.(sdk.ListedSuite).Tests {
			names = append(names, test.Name)
		}
	}
	if !slices.Equal(names, []string{"TestA", "TestB"}) {
		t.Errorf("listed %v", names)
	}
}

// What a plugin may report is bounded by what was printed, which is nothing here.
func TestAListingThatIsKnownMayBeLong(t *testing.T) {
	var list anyListSink
	s, err := newFixture(t, "lister").start(t).ParseList(t.Context(), sdk.ListRequest{}, sdk.Command{Argv: []string{"list"}, Known: true}, &list)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(sdk.Exit{}); err != nil || len(list.got) != 2*freeEvents+1 {
		t.Errorf("%d suites were listed: %v", len(list.got), err)
	}
}

func TestGoPluginIsKeptQuiet(t *testing.T) {
	var out bytes.Buffer
	l := quietLogger{hclog.New(&hclog.LoggerOptions{Output: &out, Level: hclog.Info})}
	for _, logger := range []hclog.Logger{l, l.Named("a"), l.With("k", "v"), l.ResetNamed("b")} {
		logger.Error("e")
		logger.Warn("w")
		logger.Info("i")
		logger.Log(hclog.Error, "l")
	}
	if out.Len() != 0 {
		t.Errorf("it said %s", &out)
	}
}

func TestStandardOutputOfTheHostIsNotTouched(t *testing.T) {
	// An MCP server speaks on it. The helper host starts a plugin that prints wherever
	// it can; none of that may come out.
	f := newFixture(t, "print")
	host := exec.Command(os.Args[0])
	host.Env = []string{hostVariable + "=" + strings.Join([]string{"print", f.config.Candidate.Path, f.home, f.config.RunDir}, "\n")}
	out, err := host.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stop, err := host.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := host.Start(); err != nil {
		t.Fatal(err)
	}
	_ = stop.Close()
	said, err := io.ReadAll(out)
	if err := errors.Join(err, host.Wait()); err != nil || string(said) != "started: <nil>\nclosed: <nil>\n" {
		t.Errorf("it said %q %v", said, err)
	}
	if left, _ := filepath.Glob(f.config.RunDir + "/*"); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}
