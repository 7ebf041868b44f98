package gotest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/plugins/go/internal/dependencies"
	"github.com/proctorhq/proctor/plugins/go/internal/goflags"
	"github.com/proctorhq/proctor/sdk"
)

// listDependencies returns the beginning of the command that lists packages with
// everything their test binaries are compiled from. Unlike the plain list it includes
// packages of other modules. One missing from the module cache is an error of its
// importers and is not downloaded: listing changes nothing.
func listDependencies() sdk.Command {
	return sdk.Command{
		// For a main package, go list calls git status, which executes what the
		// repository's own configuration names, unless -buildvcs forbids it.
		Argv: []string{tool, "list", "-e", "-buildvcs=false", "-deps", "-test", "-json=" + dependencies.Fields},
		// GONOPROXY would still allow fetching the modules it names.
		Env: map[string]string{"GOPROXY": "off", "GONOPROXY": "none", "GOVCS": "*:off"},
	}
}

// dependencies returns the graph of a listing, still empty.
func (p project) dependencies(runnerArgs []string) *dependencies.Graph {
	cfg := dependencies.Config{Layout: p.layout}
	args, _ := goflags.Parse(runnerArgs) // ListCmd has rejected what cannot be parsed
	args.Flags = slices.Concat(variableFlags(p.workspace.Env["GOFLAGS"]), args.Flags)
	if overlay, set := args.Get("overlay"); set && overlay != "" {
		cfg.Opaque = "-overlay replaces its files"
		cfg.Beside = append(cfg.Beside, sdk.ListedPart{Name: "-overlay", Files: p.overlaid(overlay)})
	}
	for _, name := range []string{"exec", "toolexec"} {
		if program, set := args.Get(name); set && program != "" {
			files, tools, opaque := p.programFiles(program)
			if opaque {
				cfg.Opaque = cmp.Or(cfg.Opaque, fmt.Sprintf("-%s %s names another program in each directory", name, program))
			}
			// What runs in front of the compiler is a tool as that is.
			cfg.Beside = append(cfg.Beside, sdk.ListedPart{Name: "-" + name, Files: files, Tools: name == "toolexec"},
				sdk.ListedPart{Name: "-" + name + " (PATH)", Files: tools, Tools: true})
		}
	}
	cfg.Early = p.earlyLogRoot(args) != ""
	if file, set := args.Get("modfile"); set && file != "" {
		if !filepath.IsAbs(file) {
			file = filepath.Join(p.layout.Root, file)
		}
		cfg.ModFile = file
	}
	return dependencies.New(cfg)
}

// overlaid returns the file of an -overlay, and those that it puts in the place of others.
func (p project) overlaid(file string) []string {
	abs := func(name string) string {
		if filepath.IsAbs(name) {
			return name
		}
		return filepath.Join(p.layout.Root, name)
	}
	files := []string{abs(file)}
	var overlay struct{ Replace map[string]string }
	if text, err := p.layout.Reader.Bytes(abs(file), maxOverlay); err == nil {
		_ = json.Unmarshal(text, &overlay) // the go command rejects what cannot be parsed
	}
	for _, with := range overlay.Replace {
		if with != "" {
			files = append(files, abs(with))
		}
	}
	return files
}

// maxOverlay bounds the file of an -overlay.
const maxOverlay = 16 << 20

// programFiles returns the files of a program that the go command runs in front of others, and
// of its arguments: a wrapper may change how all tests end. tools are those that are looked up
// in PATH. opaque reports whether which program that is depends on the directory of a package.
func (p project) programFiles(command string) (files, tools []string, opaque bool) {
	words, err := goflags.Split(command)
	if err != nil {
		return nil, nil, false // the go command rejects it
	}
	for i, word := range words {
		switch {
		case filepath.IsAbs(word):
			if p.layout.Reader.IsFile(word) {
				files = append(files, word)
			}
		case i > 0 && strings.HasPrefix(word, "-"):
			continue
		case filepath.Base(word) != word || i > 0 && strings.Contains(word, "."):
			return nil, nil, true // as in "sh ./run.sh": it may be a file there
		default:
			// As in "env wrapper".
			if found := findProgram(word, p.workspace.Env["PATH"]); p.layout.Reader.IsFile(found) {
				tools = append(tools, found)
			}
		}
	}
	return files, tools, false
}

// reportDependencies reports the suites, and the parts that they need.
func (l *listing) reportDependencies() {
	for _, suite := range l.suites {
		suite.Needs = l.dependencies.Needs(suite.Suite)
		suite.Opaque = l.dependencies.Opaque(suite.Suite)
		l.sink.Suite(suite)
	}
	l.dependencies.Parts(l.sink.Part)
}
