package gotest_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/proctorhq/proctor/internal/testfiles"
	gotest "github.com/proctorhq/proctor/plugins/go"
	"github.com/proctorhq/proctor/sdk"
)

// `go env -w GOFLAGS=-run=X` narrows every run without a trace in the command or
// the environment.
func TestGOFLAGSOfTheEnvironmentFileIsRejectedLikeTheVariable(t *testing.T) {
	dir := t.TempDir()
	write := func(path, text string) string {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		testfiles.Write(t, path, text)
		return path
	}
	root := filepath.Dir(write("m/go.mod", "module example.com/m\n\ngo 1.24\n"))
	narrow := write("narrow", "GOPROXY=direct\nGOFLAGS=-run=TestX\n")
	write("config/go/env", "GOFLAGS=-skip=TestX\n")
	write("home/.config/go/env", "GOFLAGS=-mod=mod -list=.\n")
	write("goroot/go.env", "GOFLAGS=-run=Y\n")
	program := write("goroot/bin/go", "")
	for _, tc := range []struct {
		name    string
		env     map[string]string
		program string
		refused bool
	}{
		{"named by GOENV", map[string]string{"GOENV": narrow}, "", true},
		{"in the configuration folder", map[string]string{"XDG_CONFIG_HOME": filepath.Join(dir, "config")}, "", true},
		{"in the home folder", map[string]string{"HOME": filepath.Join(dir, "home")}, "", true},
		{"in the installation", nil, program, true},
		{"switched off", map[string]string{"GOENV": "off", "HOME": filepath.Join(dir, "home")}, "", false},
		{"overruled by the variable", map[string]string{"GOENV": narrow, "GOFLAGS": "-mod=mod"}, "", false},
		{"an empty variable overrules nothing", map[string]string{"GOENV": narrow, "GOFLAGS": ""}, "", true},
		{"by a relative path", map[string]string{"GOENV": "narrow"}, "", true},
		{"in a home folder by a relative path", map[string]string{"HOME": "home"}, "", true},
		{"a relative home folder that is not asked", map[string]string{"HOME": "home", "GOENV": "off"}, "", false},
		{"an overlay", map[string]string{"GOFLAGS": "-overlay=/o.json"}, "", true},
		{"no file", map[string]string{"GOENV": filepath.Join(dir, "missing")}, "", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ws := sdk.Workspace{Root: root, Env: tc.env, Tools: map[string]string{}}
			if tc.program != "" {
				ws.Tools["go"] = tc.program
			}
			detector := gotest.New(gotest.Config{})
			_, err := detector.TestCmd(t.Context(), sdk.TestRequest{Workspace: ws})
			_, rerunErr := detector.RerunCmd(t.Context(), sdk.RerunRequest{Workspace: ws})
			if refusal, ok := errors.AsType[*sdk.Error](err); ok != tc.refused || errors.As(rerunErr, &refusal) != tc.refused {
				t.Errorf("run: %v, rerun: %v; want refused: %t", err, rerunErr, tc.refused)
			}
		})
	}
}

// What go env -w has set decides as the variable does: a pass without it clears nothing.
func TestSettingsOfTheEnvironmentFileArePartOfTheWay(t *testing.T) {
	dir := t.TempDir()
	root, file := filepath.Join(dir, "m"), filepath.Join(dir, "env")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(path, text string) {
		testfiles.Write(t, path, text)
	}
	write(filepath.Join(root, "go.mod"), "module example.com/m\n\ngo 1.24\n")
	write(filepath.Join(root, "m.go"), "package m\n")
	for _, name := range []string{"GOEXPERIMENT", "GOFIPS140", "GOARM64", "GO111MODULE", "CC", "CXX", "CGO_ENABLED", "CGO_CFLAGS", "CGO_LDFLAGS"} {
		write(file, name+"=x\n")
		ways := map[string][]string{}
		for from, env := range map[string]map[string]string{"the file": {"GOENV": file}, "the variable": {"GOENV": "off", name: "x"}} {
			ws := sdk.Workspace{Root: root, Env: env, Tools: map[string]string{}}
			plan, err := gotest.New(gotest.Config{}).TestCmd(t.Context(), sdk.TestRequest{Workspace: ws})
			if err != nil {
				t.Fatal(err)
			}
			ways[from] = plan.Way.Decides
		}
		if want := []string{name + "=x"}; !slices.Equal(ways["the file"], want) || !slices.Equal(ways["the variable"], want) {
			t.Errorf("%s: the ways are %q", name, ways)
		}
	}
}
