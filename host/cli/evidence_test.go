package cli_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	testDeclared = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	testNamed    = regexp.MustCompile(`\b(?:Test|Fuzz)[A-Z]\w+`)
)

// Every attempt that SECURITY.md says a test holds has that test.
func TestTheTestsThatTheSecurityPageNamesExist(t *testing.T) {
	t.Parallel()
	const page = "../../SECURITY.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	declared := map[string]string{}
	err = filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "../.." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "node_modules"):
			return fs.SkipDir
		case !strings.HasSuffix(path, "_test.go") || !d.Type().IsRegular():
			return nil
		}
		source, err := os.ReadFile(path)
		for _, match := range testDeclared.FindAllSubmatch(source, -1) {
			declared[string(match[1])] = path
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	named := testNamed.FindAllString(string(text), -1)
	if len(named) == 0 {
		t.Fatalf("%s names no test", page)
	}
	for _, name := range named {
		// "A `TestMain`" is of somebody else's tests.
		if name != "TestMain" && declared[name] == "" {
			t.Errorf("%s names %s, which there is not", page, name)
		}
	}
}
