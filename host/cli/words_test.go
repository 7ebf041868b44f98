package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/mcp/limits"
	"github.com/proctorhq/proctor/host/render"
)

// speaking are the rooms that phrase for a reader of one front. What is done about
// plugins, and about the shards of a run, is done on the command line, also by those who
// use another front.
var speaking = []string{"host/cli", "host/mcp", "host/mcpconfig", "host/render", "host/report", "host/terminal", "host/watch/screen", "host/install", "host/plugin", "host/merge", "host/portable"}

func TestOnlyFrontsNameCommandsAndFlags(t *testing.T) {
	t.Parallel()
	named := map[string]*regexp.Regexp{"host": namesOfCommands(true), "plugins": namesOfCommands(false)}
	found := 0
	for _, root := range []string{"../../host", "../../plugins"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			room := filepath.ToSlash(strings.TrimPrefix(filepath.Clean(path), filepath.Clean("../..")+string(filepath.Separator)))
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "testdata" || slices.Contains(speaking, room)):
				return filepath.SkipDir
			case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				lit, ok := n.(*ast.BasicLit)
				if !ok || lit.Kind != token.STRING {
					return true
				}
				found++
				// A string without a blank is an argument for a program, not a sentence.
				if text, err := strconv.Unquote(lit.Value); err != nil || strings.Contains(strings.TrimSpace(text), " ") && named[filepath.Base(root)].MatchString(text) {
					t.Errorf("%s: %s", room, lit.Value)
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if found < 1000 {
		t.Errorf("only %d texts were found", found)
	}
}

// namesOfCommands finds the commands of proctor in a sentence, and its flags: in those of
// plugins they may be flags of a runner.
func namesOfCommands(withFlags bool) *regexp.Regexp {
	var commands, flags []string
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		add := func(f *pflag.Flag) { flags = append(flags, regexp.QuoteMeta(f.Name)) }
		c.LocalFlags().VisitAll(add)
		for _, sub := range c.Commands() {
			if c.Parent() == nil {
				commands = append(commands, regexp.QuoteMeta(sub.Name()))
			}
			walk(sub)
		}
	}
	walk((&app{}).command())
	pattern := `\bproctor (?:` + strings.Join(commands, "|") + ")\\b|(?:^|[\\s(\"`])-C "
	if withFlags {
		slices.Sort(flags)
		pattern += "|(?:^|[\\s(\"`])--(?:" + strings.Join(slices.Compact(flags), "|") + `)\b`
	}
	return regexp.MustCompile(pattern)
}

func TestBothFrontsHaveWordsForAllAdvice(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "../api/advice.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		for _, value := range spec.Values {
			lit, ok := value.(*ast.BasicLit)
			if !ok {
				continue
			}
			name, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			found++
			a := api.Advice{Operation: api.Operation(name), Of: "x"}
			if render.Advice(a) == "" {
				t.Errorf("the command line says nothing of %s", name)
			}
			if limits.Advice(a) == "" && a.Operation != api.AdviseNoCache {
				t.Errorf("the tools say nothing of %s", name)
			}
		}
		return true
	})
	if found < 20 {
		t.Errorf("only %d operations were found", found)
	}
}
