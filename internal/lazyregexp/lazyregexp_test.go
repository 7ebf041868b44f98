package lazyregexp

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestAWrongExpressionIsFoundByAnyTest(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("it is taken")
		}
	}()
	New("(")
}

// What is compiled before main runs is compiled by each start of proctor and its plugins.
func TestNothingIsCompiledAtTheStart(t *testing.T) {
	early := regexp.MustCompile(`(?m)^(var )?\t?\w+ *= regexp\.MustCompile`)
	seen := 0
	for _, root := range []string{"host", "sdk", "plugins", "cmd", "internal"} {
		err := filepath.WalkDir(filepath.Join("../..", root), func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.Name() == "testdata":
				return fs.SkipDir
			case !strings.HasSuffix(path, ".go"), strings.HasSuffix(path, "_test.go"):
				return nil
			}
			seen++
			text, err := os.ReadFile(path)
			if early.Match(text) {
				t.Errorf("%s: a package's variable has a regular expression: take lazyregexp.New", path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if seen < 500 {
		t.Errorf("%d files were looked at", seen)
	}
}
