package mcp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// moduleFiles are the files of a small module in a directory.
func moduleFiles(dir, test string) files {
	return files{
		dir + "/go.mod":  "module example.com/" + dir + "\n\ngo 1.21\n",
		dir + "/x.tests": shellTests(test, "true"),
	}
}

func TestARepositoryOfModulesIsTestedModuleByModule(t *testing.T) {
	t.Parallel()
	s := newShellSite(t, files{"README": ""})
	if err := os.Remove(filepath.Join(s.dir, "go.mod")); err != nil {
		t.Fatal(err)
	}
	for dir, test := range map[string]string{"a": "TestA", "b": "TestB", "c": "TestC"} {
		s.write(t, moduleFiles(dir, test))
	}
	s.git(t, "init", "-q")
	s.git(t, "add", "-A")
	s.git(t, "commit", "-q", "-m", "x")
	c := s.connect(t)
	workspace := func(r result) string { return filepath.Base(r.str("workspace")) }
	// Without a hint, the modules are choices.
	for _, tool := range []string{"run_tests", "tests_covering", "last_test_failures"} {
		r := c.call(t, tool, nil)
		if !r.failed || r.str("message") != noProject || !strings.Contains(r.text(), `these below it are: a, b, c; name one: "workspace":"a"`) {
			t.Errorf("%s: %q", tool, r.texts)
		}
	}
	if r := c.call(t, "workspace_info", nil); r.str("message") != noProject || !strings.Contains(r.text(), `these below it are: a, b, c; name one: "workspace":"a"`) {
		t.Errorf("workspace_info: %q", r.texts)
	}
	if r := c.call(t, "run_tests", with{"workspace": "b"}); workspace(r) != "b" {
		t.Errorf("%q", r.texts)
	}
	if r := c.call(t, "run_tests", with{"packages": []string{"./c/..."}}); workspace(r) != "c" || !strings.Contains(r.text(), "these packages are those of the project c") {
		t.Errorf("%q", r.texts)
	}
	s.write(t, files{"a/new.tests": shellTests("TestNew", "true")})
	if r := c.call(t, "run_tests", nil); workspace(r) != "a" || !strings.Contains(r.str("message"), "the changed files are all in the project a") {
		t.Errorf("%q", r.texts)
	}
	s.write(t, files{"b/new.tests": shellTests("TestNew", "true")})
	if r := c.call(t, "run_tests", nil); !r.failed || !strings.Contains(r.text(), "a (changed), b (changed), c") {
		t.Errorf("%q", r.texts)
	}
}

func TestPackagesOfANestedModuleAreTestedThere(t *testing.T) {
	t.Parallel()
	s := newShellSite(t, files{"a.tests": shellTests("TestA", "true")})
	s.write(t, moduleFiles("tools", "TestTool"))
	c := s.connect(t)
	r := c.call(t, "run_tests", with{"packages": "./tools"})
	if r.str("status") != "passed" || filepath.Base(r.str("workspace")) != "tools" {
		t.Errorf("%q", r.texts)
	}
	if r := c.call(t, "run_tests", nil); s.recorded(t, r.str("run_id")).Workspace != s.dir {
		t.Errorf("%q", r.texts)
	}
}

// The advice of an answer about a module elsewhere can be followed as it is.
func TestAModuleWithinOneElsewhereIsNamedSoThatACallFindsIt(t *testing.T) {
	t.Parallel()
	s := newSite(t, files{"a_test.go": tests("TestA", "")})
	for _, dir := range []string{"outer", "outer/inner"} {
		s.write(t, files{dir + "/go.mod": "module example.com/" + dir + "\n\ngo 1.21\n", dir + "/x_test.go": tests("TestX", "")})
	}
	c := s.connect(t)
	r := c.call(t, "run_tests", with{"workspace": "outer"})
	_, inner, found := strings.Cut(r.text(), "test it with run_tests and the workspace ")
	inner, _, _ = strings.Cut(inner, "\n")
	if !found {
		t.Fatalf("%q", r.texts)
	}
	if r := c.call(t, "run_tests", with{"workspace": inner}); r.failed || filepath.Base(r.str("workspace")) != "inner" {
		t.Errorf("workspace %s: %q", inner, r.texts)
	}
}
