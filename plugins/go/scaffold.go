package gotest

import (
	"context"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/plugins/go/internal/source"
	"github.com/proctorhq/proctor/plugins/go/internal/toolchain"
	"github.com/proctorhq/proctor/sdk"
)

var _ sdk.Scaffolder = (*Detector)(nil)

// uploadModule is the module path of a source set: its packages import each other as
// "upload/...".
const uploadModule = "upload"

// Scaffold implements [sdk.Scaffolder]. The sources become a module with the
// requirements of the workspace's module. Its dependencies come from the module cache:
// nothing is downloaded, and no C compiler or other toolchain is started.
func (d *Detector) Scaffold(ctx context.Context, req sdk.ScaffoldRequest) (sdk.Scaffold, error) {
	if err := checkSources(ctx, req.Sources); err != nil {
		return sdk.Scaffold{}, err
	}
	m := moduleFor(req.Workspace)
	s := sdk.Scaffold{
		Files: m.files(),
		Env: map[string]string{
			"CGO_ENABLED": "0", "GOENV": "off", "GOFLAGS": "-mod=mod", "GOPROXY": "off", "GOSUMDB": "off",
			"GOTOOLCHAIN": "local", "GOVCS": "*:off", "GOWORK": "off", source.Upload: "1",
		},
		Warnings: m.warnings,
	}
	if root := findInstallation(req.Workspace.Tools[tool]); root != "" {
		s.Readable = append(s.Readable, root)
	}
	if cache := moduleCache(req.Workspace.Env); cache != "" && len(m.lines) > 0 {
		s.Env["GOMODCACHE"] = cache
		s.Readable = append(s.Readable, cache)
	}
	return s, nil
}

func invalidSources(format string, values ...any) error {
	return &sdk.Error{Reason: sdk.InvalidSources, Message: fmt.Sprintf(format, values...)}
}

// checkSources rejects anything but Go source, and whatever changes how the go command
// works.
func checkSources(ctx context.Context, files []sdk.SourceFile) error {
	sources := 0
	for _, f := range files {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		parts := strings.Split(f.Path, "/")
		switch base := parts[len(parts)-1]; {
		case base == "go.mod" || base == "go.sum" || base == "go.work" || base == "go.work.sum":
			return invalidSources("%s: proctor creates the module of an upload; leave the file out, and name the project whose dependencies to use with -C", f.Path)
		case slices.Contains(parts[:len(parts)-1], "vendor"):
			return invalidSources("%s: vendor directories are not accepted; leave it out, and name the project whose dependencies to use with -C", f.Path)
		case slices.Contains(parts[:len(parts)-1], "testdata"):
			// whatever tests read
		case path.Ext(base) != ".go":
			return invalidSources("%s: not a Go source; other files are accepted only below a directory named testdata", f.Path)
		case usesCgo(f.Content):
			return invalidSources(`%s: it imports "C", but uploads run without a C compiler; leave the file out`, f.Path)
		default:
			sources++
		}
	}
	if sources == 0 {
		return invalidSources("there is no Go source among the files; add files that end in .go")
	}
	return nil
}

// usesCgo reports whether a file imports "C". The go command would silently skip it,
// along with its tests. Unreadable files are left to the compiler.
func usesCgo(content []byte) bool {
	file, _ := parser.ParseFile(token.NewFileSet(), "", content, parser.ImportsOnly)
	if file == nil {
		return false
	}
	for _, spec := range file.Imports {
		if spec.Path.Value == `"C"` || spec.Path.Value == "`C`" {
			return true
		}
	}
	return false
}

// module is the module made of a source set.
type module struct {
	goVersion string
	lines     []string // requirements and similar lines
	sums      []byte   // content of go.sum
	warnings  []string
}

// defaultGo is the go line if neither a project nor the toolchain has one: the first
// version from which on no newer toolchain is looked for.
const defaultGo = "1.21"

// moduleFor copies what the workspace's module depends on.
func moduleFor(ws sdk.Workspace) module {
	m := module{goVersion: defaultGo}
	if version := toolchain.Find(toolchain.Settings{Program: ws.Tools[tool], Toolchain: "local"}); version != "" {
		m.goVersion = strings.TrimPrefix(string(version), "go")
	}
	if ws.Root == "" {
		return m
	}
	deps, err := source.ReadDependencies(ws.Root)
	if err != nil {
		m.warn("the dependencies of %s are unknown: %v", ws.Root, err)
		return m
	}
	m.lines = deps.Lines
	if deps.Go != "" {
		m.goVersion = deps.Go
	}
	for _, local := range deps.Local {
		m.warn("%s is replaced by a directory in %s, so an upload cannot import it", local, ws.Root)
	}
	if m.sums, err = readSums(filepath.Join(ws.Root, "go.sum")); err != nil {
		m.warn("the checksums of the dependencies are not checked: %v", err)
	}
	return m
}

func (m *module) warn(format string, values ...any) {
	m.warnings = append(m.warnings, fmt.Sprintf(format, values...))
}

func (m *module) files() []sdk.SourceFile {
	text := fmt.Sprintf("module %s\n\ngo %s\n", uploadModule, m.goVersion)
	for _, line := range m.lines {
		text += line + "\n"
	}
	files := []sdk.SourceFile{{Path: "go.mod", Content: []byte(text)}}
	if len(m.sums) > 0 {
		files = append(files, sdk.SourceFile{Path: "go.sum", Content: m.sums})
	}
	return files
}

// maxSums bounds a go.sum file, which must fit into a message with the rest of the
// answer. Large projects have some 200 KiB.
const maxSums = 1 << 20

// readSums reads a go.sum file. A missing one is not an error.
func readSums(name string) ([]byte, error) {
	sums, err := source.Reader{}.Bytes(name, maxSums)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return sums, err
}

// findInstallation returns the Go installation of a go command; empty if it does not look
// like one.
func findInstallation(program string) string {
	if program == "" {
		return ""
	}
	if resolved, err := filepath.EvalSymlinks(program); err == nil {
		program = resolved
	}
	root := filepath.Dir(filepath.Dir(program))
	if !isFile(filepath.Join(root, "VERSION")) {
		return ""
	}
	return root
}

// moduleCache returns where the go command keeps modules; empty if there is no such
// directory.
func moduleCache(env map[string]string) string {
	cache := env["GOMODCACHE"]
	if cache == "" {
		gopath, _, _ := strings.Cut(env["GOPATH"], string(filepath.ListSeparator))
		if gopath == "" && env["HOME"] != "" {
			gopath = filepath.Join(env["HOME"], "go")
		}
		if gopath == "" {
			return ""
		}
		cache = filepath.Join(gopath, "pkg", "mod")
	}
	if info, err := os.Stat(cache); err != nil || !info.IsDir() || !filepath.IsAbs(cache) {
		return ""
	}
	return filepath.Clean(cache)
}
