//go:build unix

package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"hash"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/plugin"
	"github.com/proctorhq/proctor/host/plugin/manifest"
	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
	"github.com/proctorhq/proctor/sdk/server"
)

// TestMain lets the test binary play a plugin, under its name.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) != manifest.BinaryPrefix+summing {
		os.Exit(m.Run())
	}
	server.Serve(server.Config{
		Description: sdk.Description{Name: summing, Version: "1.0.0", Language: summing, Markers: []string{"sum"}}, Detector: summer{},
	})
}

// summing is a plugin that reports a sum of what it read.
const summing = "summing"

type summer struct{}

func (summer) TestCmd(context.Context, sdk.TestRequest) (sdk.Plan, error)   { return sdk.Plan{}, nil }
func (summer) RerunCmd(context.Context, sdk.RerunRequest) (sdk.Plan, error) { return sdk.Plan{}, nil }

func (summer) ParseTestFailures(_ context.Context, _ sdk.RunInfo, sink sdk.Sink) sdk.Parser {
	return &summingParser{sink: sink, sum: fnv.New64()}
}

type summingParser struct {
	sink sdk.Sink
	sum  hash.Hash64
	size int
}

func (p *summingParser) Write(_ sdk.Stream, data []byte) {
	if p.size == 0 {
		p.sink.Note("it reads")
	}
	p.size += len(data)
	_, _ = p.sum.Write(data)
}

func (p *summingParser) Close(sdk.Exit) { p.sink.Note(sumOf(p.size, p.sum)) }

func sumOf(size int, sum hash.Hash64) string { return fmt.Sprintf("%d bytes, %x", size, sum.Sum64()) }

// notes records what a plugin remarks.
type notes struct {
	all []string
	// once is called for the first.
	once func()
}

func (n *notes) Note(text string) {
	n.all = append(n.all, text)
	if len(n.all) == 1 && n.once != nil {
		n.once()
	}
}

func (*notes) Test(sdk.TestResult)   {}
func (*notes) Failure(sdk.Failure)   {}
func (*notes) Suite(sdk.SuiteResult) {}
func (*notes) Unread(sdk.Unread)     {}
func (*notes) RunError(string)       {}
func (*notes) Condition(_, _ string) {}
func (*notes) Output([]byte)         {}
func (*notes) Progress(sdk.Progress) {}

func startSumming(t *testing.T) *plugin.Plugin {
	t.Helper()
	root, err := os.MkdirTemp("", "pf") // t.TempDir is too long for sockets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(root, manifest.BinaryPrefix+summing)
	if err := os.Symlink(self, binary); err != nil {
		t.Fatal(err)
	}
	p, err := plugin.Start(t.Context(), plugin.Config{
		Candidate: plugin.Candidate{Name: summing, Path: binary}, RunDir: filepath.Join(root, "run"),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close(context.Background()) })
	if !p.Identity().Files {
		t.Fatal("the plugin reads no files itself, so this tests nothing")
	}
	return p
}

// writeRecorded writes output long enough for the plugin to read it itself.
func writeRecorded(t *testing.T, path string, fill byte) (sum string) {
	t.Helper()
	content := []byte(strings.Repeat(string(rune(fill)), 6*sdk.SendFile+123))
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Skip(err) // not every system has such names
	}
	h := fnv.New64()
	_, _ = h.Write(content)
	return sumOf(len(content), h)
}

func TestAPluginReadsTheFileThatTheHostOpened(t *testing.T) {
	p := startSumming(t)
	for name, pathOf := range map[string]func(t *testing.T, file string) string{
		"a file": func(_ *testing.T, file string) string { return file },
		"a link": func(t *testing.T, file string) string {
			if err := os.Symlink(file, file+".link"); err != nil {
				t.Fatal(err)
			}
			return file + ".link"
		},
		"a descriptor": func(t *testing.T, file string) string { return openDescriptor(t, file) },
		"a descriptor of a removed file": func(t *testing.T, file string) string {
			descriptor := openDescriptor(t, file)
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
			return descriptor
		},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "output")
			want := writeRecorded(t, file, 'a')
			feedAndCompare(t, p, pathOf(t, file), want)
		})
	}
	t.Run("a name that no message can hold", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "output\xff")
		want := writeRecorded(t, file, 'a')
		feedAndCompare(t, p, file, want)
	})
}

// openDescriptor returns the path of an open file that only this process knows.
func openDescriptor(t *testing.T, file string) string {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return fmt.Sprintf("/dev/fd/%d", f.Fd())
}

func feedAndCompare(t *testing.T, p *plugin.Plugin, path, want string) {
	t.Helper()
	var got notes
	if err := ledger.Feed(t.Context(), p, sdk.RunInfo{}, [2]string{path}, sdk.Exit{}, &got); err != nil {
		t.Fatal(err)
	}
	if last := got.all[len(got.all)-1]; last != want {
		t.Errorf("the plugin read %s, want %s", last, want)
	}
}

// A tool that writes its report to another file and renames it must not make a report of
// neither.
func TestAFileReplacedWhileItIsReadIsNotReadWhole(t *testing.T) {
	p := startSumming(t)
	file := filepath.Join(t.TempDir(), "output")
	writeRecorded(t, file, 'a')
	writeRecorded(t, file+".new", 'b')
	sink := notes{once: func() {
		if err := os.Rename(file+".new", file); err != nil {
			t.Error(err)
		}
	}}
	err := ledger.Feed(t.Context(), p, sdk.RunInfo{}, [2]string{"", file}, sdk.Exit{}, &sink)
	if err == nil || !strings.Contains(err.Error(), "was replaced while it was read") {
		t.Errorf("got %v after %q", err, sink.all)
	}
}

func TestThePluginIsNotBlamedForAShortenedFile(t *testing.T) {
	p := startSumming(t)
	file := filepath.Join(t.TempDir(), "output")
	writeRecorded(t, file, 'a')
	stream, err := p.Parse(t.Context(), sdk.RunInfo{}, client.ParseOptions{}, &notes{})
	if err != nil {
		t.Fatal(err)
	}
	if err = stream.SendFile(sdk.Stdout, file, 6*sdk.SendFile, 200); err == nil {
		err = stream.Close(sdk.Exit{})
	}
	stream.Cancel()
	if _, ok := errors.AsType[*plugin.CallError](err); !ok || !strings.Contains(err.Error(), "became shorter while it was read") {
		t.Errorf("got %T %v", err, err)
	}
}
