package gotest_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/internal/testfiles"
)

func TestDetectRecognizesAModuleOrAWorkspace(t *testing.T) {
	for _, test := range []struct {
		name string
		tree files
		env  map[string]string
		want bool
	}{
		{"module", files{"go.mod": "module m\n"}, nil, true},
		{"workspace", files{"go.work": "use ./a\n"}, nil, true},
		{"workspace switched off", files{"go.work": "use ./a\n"}, map[string]string{"GOWORK": "off"}, false},
		{"workspace of a module switched off", files{"go.work": "use .\n", "go.mod": "module m\n"}, map[string]string{"GOWORK": "off"}, true},
		{"workspace elsewhere", files{"go.work": "use ./a\n"}, map[string]string{"GOWORK": "/elsewhere/go.work"}, true},
		{"sources only", files{"a.go": "package a\n"}, nil, false},
		{"directory of that name", files{"go.mod/x": ""}, nil, false},
		{"empty", nil, nil, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			ws := newWorkspace(t, test.tree)
			ws.Env = test.env
			detection, err := newDetector(t).Detect(t.Context(), ws)
			if err != nil {
				t.Fatal(err)
			}
			if detection.Detected != test.want {
				t.Errorf("detected is %v", detection.Detected)
			}
		})
	}
}

func TestDetectNamesModulesThatARunLeavesOut(t *testing.T) {
	const module, test = "module example.com/x\n", "package x\n"
	for _, tt := range []struct {
		name string
		tree files
		env  map[string]string
		want string
	}{
		{"nested", files{"go.mod": module, "a/go.mod": module, "a/b/x_test.go": test}, nil, "a"},
		{"nested twice", files{"go.mod": module, "a/go.mod": module, "a/a_test.go": test, "a/b/go.mod": module, "a/b/b_test.go": test, "a/z_test.go": test}, nil, "a a/b"},
		{"without tests", files{"go.mod": module, "tools/go.mod": module, "tools/tools.go": "package tools\n"}, nil, ""},
		{"only the inner one has tests", files{"go.mod": module, "a/go.mod": module, "a/b/go.mod": module, "a/b/b_test.go": test, "c/c_test.go": test}, nil, "a/b"},
		{"not looked into", files{"go.mod": module, "vendor/v/go.mod": module, "vendor/v/x_test.go": test, "testdata/t/go.mod": module, "testdata/t/x_test.go": test,
			"node_modules/n/go.mod": module, "node_modules/n/x_test.go": test, ".d/go.mod": module, ".d/x_test.go": test, "_u/go.mod": module, "_u/x_test.go": test}, nil, ""},
		{"used by the workspace", files{"go.work": "use (\n.\n./a\n)\n", "go.mod": module, "a/go.mod": module, "a/x_test.go": test, "b/go.mod": module, "b/x_test.go": test}, nil, "b"},
		{"workspace switched off", files{"go.work": "use (\n.\n./a\n)\n", "go.mod": module, "a/go.mod": module, "a/x_test.go": test}, map[string]string{"GOWORK": "off"}, "a"},
		{"root not used", files{"go.work": "use ./a\n", "go.mod": module, "a/go.mod": module, "a/x_test.go": test}, nil, "."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ws := newWorkspace(t, tt.tree)
			ws.Env = tt.env
			detection, err := newDetector(t).Detect(t.Context(), ws)
			if err != nil {
				t.Fatal(err)
			}
			var paths []string
			for _, untested := range detection.Untested {
				paths = append(paths, untested.Path)
				if untested.Path != "." && !strings.Contains(untested.Reason, "a separate module") {
					t.Errorf("the reason does not say what %s is: %s", untested.Path, untested.Reason)
				}
			}
			if diff := cmp.Diff(tt.want, strings.Join(paths, " ")); diff != "" {
				t.Errorf("untested modules differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDetectNamesTheModulesOutside(t *testing.T) {
	ws := newWorkspace(t, files{
		"m/go.mod":    "module example.com/m\n\nreplace (\n\texample.com/in => ./in\n\texample.com/out => ../out\n\texample.com/far v1.0.0 => example.com/near v1.0.0\n)\n",
		"m/in/go.mod": "module example.com/in\n", "out/go.mod": "module example.com/out\n", "other/go.mod": "module example.com/other\n",
	})
	top := ws.Root
	ws.Root = filepath.Join(top, "m")
	for _, test := range []struct {
		goWork string
		want   []string
	}{{"", []string{"out"}}, {"go 1.26\n\nuse (\n\t.\n\t../other\n)\n", []string{"other", "out"}}} {
		goWork, want := test.goWork, test.want
		if goWork != "" {
			testfiles.WriteAll(t, ws.Root, files{"go.work": goWork})
		}
		detection, err := newDetector(t).Detect(t.Context(), ws)
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range want {
			want[i] = filepath.Join(top, name)
		}
		if got := slices.Sorted(slices.Values(detection.Outside)); !slices.Equal(got, want) {
			t.Errorf("with go.work %q outside are %v, want %v", goWork, got, want)
		}
	}
}

func TestDetectSaysWhatPrecedesTheDirectoryInAnImportPath(t *testing.T) {
	for _, tt := range []struct {
		name string
		tree files
		env  map[string]string
		want string
	}{
		{"module", files{"go.mod": "module example.com/m/v2\n"}, nil, "example.com/m/v2"},
		{"workspace", files{"go.work": "use (\n.\n./a\n./b\n./c\n)\n", "go.mod": "module m\n", "a/go.mod": "module example.com/a\n", "b/go.mod": "module example.com/b\n", "c/go.mod": "module other.org/x\n"}, nil, "m example.com"},
		{"workspace switched off", files{"go.work": "use ./a\n", "go.mod": "module m\n", "a/go.mod": "module example.com/a\n"}, map[string]string{"GOWORK": "off"}, "m"},
		{"no name", files{"go.mod": "go 1.26\n"}, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ws := newWorkspace(t, tt.tree)
			ws.Env = tt.env
			detection, err := newDetector(t).Detect(t.Context(), ws)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(detection.SuitePrefixes, " "); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
