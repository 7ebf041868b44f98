package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
)

// listed calls proctor run --list and returns the one object that it must print, and
// the names in it.
func (w *module) listed(args ...string) (api.TestList, []string, reply) {
	w.t.Helper()
	r := w.proctor(slices.Concat([]string{"run", "--list", "--json"}, args)...)
	var list api.TestList
	decodeLine(w.t, r, &list)
	if list.Schema != api.TestsSchema || list.Workspace == "" || list.Plugin.Name == "" {
		w.t.Fatalf("list %q: %s", args, r.stdout)
	}
	names := []string{}
	for _, s := range list.Suites {
		for _, one := range s.Tests {
			names = append(names, strings.TrimPrefix(s.Suite, "example.com/m/")+" "+one.Test)
		}
	}
	return list, names, r
}

// listable is a module with tests of every kind; nothing of it is ever executed.
func listable() files {
	return files{
		"a/a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestOne(t *testing.T) { panic(1) }\n\nfunc TestTwo(t *testing.T) { panic(1) }\n" +
			"\nfunc BenchmarkIt(b *testing.B) { panic(1) }\n\nfunc FuzzIt(f *testing.F) { panic(1) }\n",
		"a/tagged_test.go": "//go:build slow\n\npackage a\n\nimport \"testing\"\n\nfunc TestSlow(t *testing.T) { panic(1) }\n",
		"b/b_test.go":      "package b\n\nimport \"testing\"\n\nfunc TestOne(t *testing.T) { undefined() }\n",
		"none/none.go":     "package none\n",
	}
}

// What go list printed is read again, without a go command, until something else would be printed.
func TestASecondListingStartsNoGoCommand(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the go command is a shell script here")
	}
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", pass)})
	goroot, refuse := t.TempDir(), filepath.Join(w.home, "refuse")
	real := goEnv(t, "GOROOT")["GOROOT"]
	for _, name := range []string{"VERSION", "go.env", "pkg", "src"} {
		if err := os.Symlink(filepath.Join(real, name), filepath.Join(goroot, name)); err != nil {
			t.Fatal(err)
		}
	}
	bin := filepath.Join(goroot, "bin")
	script := fmt.Sprintf("#!/bin/sh\nif [ \"$1\" = list ] && [ -e %q ]; then echo refused >&2; exit 1; fi\nexec %q \"$@\"\n", refuse, filepath.Join(real, "bin", "go"))
	if err := errors.Join(os.Mkdir(bin, 0o755), os.WriteFile(filepath.Join(bin, "go"), []byte(script), 0o755)); err != nil {
		t.Fatal(err)
	}
	w.setenv("PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"))
	w.proctor("run").expect(t, 0) // nothing is kept where nothing is on record
	_, want, _ := w.listed()
	if err := os.WriteFile(refuse, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if list, names, r := w.listed(); !slices.Equal(names, want) || !list.Complete || r.code != 0 {
		t.Errorf("the second listing ended with %d, and has %q:\n%s", r.code, names, r.stderr)
	}
	w.write(files{"new/new_test.go": tests("new", "TestNew", pass)})
	if list, _, r := w.listed(); list.Complete || r.code == 0 {
		t.Errorf("beside a new package, without go list, the listing ended with %d: %s", r.code, r.stdout)
	}
}

func TestListNamesTheTestsOfAGoModuleAndRunsNone(t *testing.T) {
	t.Parallel()
	w := newModule(t, listable())
	all := []string{"a BenchmarkIt", "a FuzzIt", "a TestOne", "a TestTwo", "b TestOne"}
	list, names, r := w.listed()
	r.expect(t, 0)
	if !slices.Equal(names, all) || list.Total != 5 || list.OnRequest != 1 || list.SuitesTotal != 2 || !list.Complete || list.Language != "go" {
		t.Errorf("%q in %s", names, r.stdout)
	}
	if one := list.Suites[0].Tests[2]; one.File != "a/a_test.go" || one.Line != 5 {
		t.Errorf("TestOne is at %s:%d", one.File, one.Line)
	}
	for _, c := range []struct {
		args []string
		code int
		want []string
	}{
		{[]string{"./b"}, 0, []string{"b TestOne"}},
		{[]string{"-f", "One"}, 0, []string{"a TestOne", "b TestOne"}},
		{[]string{"-f", "TestOne/sub", "./a"}, 0, []string{"a TestOne"}},
		{[]string{"-f", "Nothing"}, 4, []string{}},
		{[]string{"--lang", "go", "--", "-tags=slow"}, 0, slices.Insert(slices.Clone(all), 3, "a TestSlow")},
		{[]string{"--", "-run=Two"}, 0, []string{"a TestTwo"}},
	} {
		list, names, r := w.listed(c.args...)
		r.expect(t, c.code)
		if !slices.Equal(names, c.want) || list.Total != len(c.want) || list.Complete != (c.code != 6) || list.Complete != (len(list.Errors) == 0) {
			t.Errorf("list %q: %q in %s", c.args, names, r.stdout)
		}
	}
	list, _, r = w.listed("./b", "example.com/m/nope", "example.com/m/none")
	r.expect(t, 0)
	if len(list.Warnings) != 1 || !strings.Contains(list.Warnings[0].Text, "no tests of example.com/m/nope were found") {
		t.Errorf("a package that does not exist: %s", r.stdout)
	}

	if _, err := os.Stat(filepath.Join(w.dir, ".proctor")); err == nil {
		t.Error("listing wrote into the workspace")
	}
}

func TestListRefusesMeaninglessRequests(t *testing.T) {
	t.Parallel()
	w := newModule(t, listable())
	foreign := fakeForeign + "=" + fakePlugin(t, fakeForeign)
	for _, c := range []struct {
		args string
		code int
		text string
	}{
		{"run --list --junit x.xml", 2, "--junit cannot be combined with a list: nothing is run"},
		{"run --list --match-path x", 2, "go does not take --match-path; it takes --package, --filter"},
		{"run --list -f (", 2, "is not a regular expression"},
		{"run --list --lang cobol", 2, `no plugin for language "cobol"`},
		{"run --list --plugin " + foreign, 2, "several languages are detected: foreign, go; name the language that is meant with --lang"},
		{"run --list --lang foreign --plugin " + foreign, 3, "plugin foreign 1.0.0 cannot list the tests of foreign without running them"},
	} {
		r := w.proctor(strings.Fields(c.args)...)
		if r.expect(t, c.code, c.text); r.stdout != "" {
			t.Errorf("%s printed %s", c.args, r.stdout)
		}
	}
}

func TestTheListOfAModuleThatCannotBeReadIsIncomplete(t *testing.T) {
	t.Parallel()
	tree := listable()
	tree["b/b_test.go"] = "<<<<<<< HEAD\n"
	w := newModule(t, tree)
	list, names, r := w.listed()
	r.expect(t, 6)
	if list.Complete || len(list.Errors) != 1 || !strings.Contains(list.Errors[0], "example.com/m/b") || !slices.Contains(names, "a TestOne") {
		t.Errorf("%s", r.stdout)
	}
	w.proctor("run", "--list").expect(t, 6, "INCOMPLETE: not every test could be listed; found: 4 tests in 1 package", "\n   example.com/m/b cannot be listed: ")
}

func TestListNamesTheTestsOfAFoundryProject(t *testing.T) {
	t.Parallel()
	w := exampleFoundry(t)
	list, names, r := w.listed()
	r.expect(t, 0)
	if list.Total != 13 || list.SuitesTotal != 5 || !list.Complete || list.Language != "solidity" ||
		!slices.Contains(names, "test/Fees.t.sol:FeesTest testFuzz_NothingIsFree(uint16)") || list.Suites[0].Tests[0].File != "test/Deployment.t.sol" {
		t.Errorf("%q in %s", names, r.stdout)
	}
	want := []string{"test/Token.t.sol:TokenTest test_Transfer()"}
	if _, names, r := w.listed("--match-path", "test/T*.sol", "--match-contract", "Token", "-f", "test_Transfer\\("); !slices.Equal(names, want) {
		t.Errorf("selected: %q in %s", names, r.stdout)
	}
	w.replace("foundry.toml", "[profile.default]", "[profile.default]\nmatch_test = \"Transfer\"")
	w.proctor("run", "--list").expect(t, 0, "3 tests in 1 contract (solidity; narrowed by settings: match_test = ")
	w.replace("test/Token.t.sol", "contract TokenTest", "contrct TokenTest")
	list, names, r = w.listed()
	r.expect(t, 6)
	if list.Complete || len(names) > 0 || len(list.Errors) != 1 || !strings.Contains(list.Errors[0], "test/Token.t.sol:7") {
		t.Errorf("what does not compile: %s", r.stdout)
	}
}
