package parse

import (
	"strings"

	"github.com/proctorhq/proctor/plugins/go/internal/pattern"
	"github.com/proctorhq/proctor/sdk"
)

// reproLimits let a single name through whatever its length.
var reproLimits = pattern.Limits{Bytes: 100 << 10, Declared: 1}

// reproduce composes the command that shows a failure again.
func (r *reporter) reproduce(id sdk.TestID, f finding) sdk.Command {
	if id.Suite == "" {
		return sdk.Command{}
	}
	argv := []string{"go", "test"}
	if f.kind == sdk.KindBuild || f.kind == sdk.KindVet {
		argv[1] = "vet" // compiles the tests too, and runs none
	}
	for i := 0; i < len(r.flags.kept); i++ {
		if argv[1] == "vet" && !strings.Contains(r.flags.kept[i], "tags") && !strings.Contains(r.flags.kept[i], "mod") {
			continue
		}
		argv = append(argv, r.flags.kept[i])
	}
	name := id.Test
	if f.repro != "" {
		name = f.repro
	}
	if name != "" {
		argv = append(argv, selectors(name)...)
	}
	argv = append(argv, id.Suite)
	if argv[1] == "test" {
		argv = append(argv, r.selection.trailing...)
	}
	return sdk.Command{Argv: argv, Dir: r.dir}
}

// selectors are the flags that run one test.
func selectors(name string) []string {
	expr := name
	if parts := pattern.Compose([]string{name}, reproLimits); len(parts) > 0 {
		expr = parts[0].Expr
	}
	if strings.HasPrefix(name, "Benchmark") {
		return []string{"-run", "^$", "-bench", expr}
	}
	return []string{"-run", expr}
}
