package gotest_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/sdk"
)

// A word that is not a path is a mistake in the call, and must not remain as a package
// that could not be built.
func TestAWordThatNamesNoPackageIsRejected(t *testing.T) {
	t.Parallel()
	tree := files{
		"go.mod": "module example.com/m\n\nreplace corp/lib => ../lib\n", "cart/a_test.go": "package cart\n",
		"vendor/kept/a.go": "package kept\n", "strings/a_test.go": "package strings\n",
	}
	for _, tt := range []struct{ name, args, says string }{
		{"cart", "", "written ./cart"},
		{"cart/...", "", "written ./cart/..."},
		{"crt", "", "neither a directory nor a package"},
		{"crt/x", "", "neither a directory nor a package"},
		{"strings", "", ""},
		{"encoding/json", "", ""},
		{"all", "", ""},
		{"...", "", ""},
		{"c...", "", ""},
		{"corp/lib/x", "", ""},
		{"kept", "", ""},
		{"example.com/m/cart", "", ""},
		{"example.com/other", "", ""},
		{"cart", "-modfile=other.mod", ""},
	} {
		t.Run(tt.name+" "+tt.args, func(t *testing.T) {
			t.Parallel()
			ws := newWorkspace(t, tree)
			setToolchain(t, &ws, "go1.26.8", "src/testing/a.go", "src/strings/a.go", "src/encoding/json/a.go")
			_, err := newDetector(t).TestCmd(t.Context(), sdk.TestRequest{
				Workspace: ws, Selection: sdk.Selection{Suites: []string{tt.name}}, RunnerArgs: strings.Fields(tt.args),
			})
			var refusal *sdk.Error
			switch refused := errors.As(err, &refusal); {
			case tt.says == "" && err != nil:
				t.Errorf("refused: %v", err)
			case tt.says != "" && (!refused || refusal.Reason != sdk.InvalidSelection || !strings.Contains(refusal.Message, tt.says)):
				t.Errorf("error is %v; want one that says %q", err, tt.says)
			}
		})
	}
}

func TestAFileIsRejectedWithItsPackageAndItsTests(t *testing.T) {
	t.Parallel()
	ws := newWorkspace(t, files{
		"go.mod": "module example.com/m\n", "m.go": "package m\n", "many_test.go": "package m\n" +
			strings.Join([]string{"", "A", "B", "C", "D", "E", "F(t *testing.T) {}\n"}, "(t *testing.T) {}\nfunc Test")[len("(t *testing.T) {}\n"):],
		"cart/a_test.go": "package cart\n\nfunc TestA(t *testing.T) {\n}\n\nfunc helper() {}\n\nfunc TestB(t *testing.T) {\n\tt.Fail()\n}\n",
	})
	for name, says := range map[string]string{
		"./cart/a_test.go":      "./cart/a_test.go is a file: tests are run by package, as ./cart; its tests: TestA, TestB",
		"./cart/a_test.go:9":    "as ./cart; line 9 belongs to TestB",
		"./cart/a_test.go:3:6":  "as ./cart; line 3 belongs to TestA",
		"./cart/a_test.go:1":    "./cart/a_test.go is a file: tests are run by package, as ./cart",
		"many_test.go":          "as .; its tests are TestA, TestB, TestC, TestD, TestE and 1 more",
		"m.go:1":                "m.go is a file: tests are run by package, as .",
		"nosuch_test.go":        "there is no file nosuch_test.go",
		"nosuch_test.go:7":      "there is no file nosuch_test.go",
		"./cart/nosuch.go":      "there is no directory ./cart/nosuch.go",
		"example.com/m/nats.go": "",
	} {
		_, err := newDetector(t).TestCmd(t.Context(), sdk.TestRequest{Workspace: ws, Selection: sdk.Selection{Suites: []string{name}}})
		var refusal *sdk.Error
		if refused := errors.As(err, &refusal); refused != (says != "") || refused && !strings.HasSuffix(refusal.Message, says) && !strings.Contains(refusal.Message, says+";") {
			t.Errorf("%s: %v; want %q", name, err, says)
		}
	}
}

// If it is unknown where Go's own packages are, any word may be one of them.
func TestAnyWordMayBeAPackageIfGoIsNotFound(t *testing.T) {
	t.Parallel()
	ws := newWorkspace(t, files{"go.mod": "module example.com/m\n", "cart/a_test.go": "package cart\n"})
	_, err := newDetector(t).TestCmd(t.Context(), sdk.TestRequest{Workspace: ws, Selection: sdk.Selection{Suites: []string{"cart"}}})
	if err != nil {
		t.Error(err)
	}
}

func TestAModuleWithoutPackagesHasNoCommand(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		tree files
		args string
		want int
	}{
		{"nothing", files{"go.mod": "module example.com/m\n", "README": ""}, "", 0},
		{"test data only", files{"go.mod": "module example.com/m\n", "testdata/a.go": "package a\n"}, "", 0},
		{"a package", files{"go.mod": "module example.com/m\n", "a/a.go": "package a\n"}, "", 1},
		{"named by the user", files{"go.mod": "module example.com/m\n"}, "example.com/other", 1},
		{"a module that cannot be read", files{"go.mod": "modul\n"}, "", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			plan, err := newDetector(t).TestCmd(t.Context(), sdk.TestRequest{Workspace: newWorkspace(t, tt.tree), RunnerArgs: strings.Fields(tt.args)})
			if err != nil || len(plan.Commands) != tt.want || len(plan.Warnings) != 1-tt.want {
				t.Errorf("%d commands, want %d; %q, %v", len(plan.Commands), tt.want, plan.Warnings, err)
			}
		})
	}
}
