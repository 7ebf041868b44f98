package mcp

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
)

// elsewhere are files whose advice no tool passes on: what they do is only offered
// on the command line.
var elsewhere = map[string]bool{
	"query/defer.go": true, "query/outstanding.go": true, "query/baseline.go": true, "engine/ingest.go": true, "upload/run.go": true, "api/no_project.go": true,
}

func TestTheHostsAdviceIsGivenInTheWordsOfTheTools(t *testing.T) {
	t.Parallel()
	var paths []string
	for _, room := range []string{"api", "project", "ledger", "standing", "engine", "query", "covering", "testlist", "triage", "transfer", "upload"} {
		files, err := filepath.Glob("../" + room + "/*.go")
		if err != nil || len(files) == 0 {
			t.Fatal(room, files, err)
		}
		paths = append(paths, files...)
	}
	found := 0
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") || elsewhere[strings.TrimPrefix(filepath.ToSlash(path), "../")] {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(lit.Value)
			if err != nil || !strings.Contains(text, "`proctor ") {
				return true
			}
			found++
			if got := toolWords(strings.ReplaceAll(text, "%s", "k3f9")); strings.Contains(got, "`proctor ") {
				t.Errorf("%s: an agent is told %q", filepath.Base(path), got)
			}
			return true
		})
	}
	if found < 5 {
		t.Errorf("only %d pieces of advice were found", found)
	}
}

func TestAnotherDirectoryIsAnotherWorkspaceToATool(t *testing.T) {
	t.Parallel()
	got := toolWords("the tests of the other modules of ../go.work are not looked at: they are with `proctor -C ..`")
	if want := "the tests of the other modules of ../go.work are not looked at: they are with another workspace (.. from this one)"; got != want {
		t.Errorf("got %s", got)
	}
}

func TestAnErrorIsToldInTheWordsOfTheTools(t *testing.T) {
	t.Parallel()
	err := error(&api.NoTestError{Test: "TestX", RunID: "k3f9"})
	want := `run k3f9 has no test "TestX"; list_tests lists the tests, last_test_failures those that failed`
	if a := failure(err); a.text[0] != want || a.object.(notice).Code != codeInvalidRequest {
		t.Errorf("%+v", a)
	}
}
