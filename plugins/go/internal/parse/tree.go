package parse

import (
	"go/build"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/plugins/go/internal/source"
	"github.com/proctorhq/proctor/sdk"
)

// tree is the workspace on disk in its current state, which for a recorded output may
// not be that of the run. Whatever is missing, places are as exact as possible.
type tree struct {
	paths
	reader  source.Reader
	sources map[string]*packageSource
	parsed  parsedFiles
	// build decides whether a file is compiled.
	build build.Context
	// named holds the files of a suite that is given as a list of files.
	named map[string][]string
}

// paths resolves the files and directories of the workspace.
type paths struct {
	// root is the workspace, and cwd where the command ran, "" if unknown.
	root, cwd string
	layout    *source.Layout
	// dirs caches directories of other machines; see foreign.
	dirs   map[string]string
	exists map[string]bool
}

func newTree(run sdk.RunInfo, selection selection) *tree {
	t := &tree{paths: paths{dirs: map[string]string{}, exists: map[string]bool{}}, sources: map[string]*packageSource{}}
	if run.Workspace.Root == "" {
		return t
	}
	t.root = filepath.Clean(run.Workspace.Root)
	t.reader = source.NewReader(t.root, run.Workspace.Env)
	t.parsed.reader = t.reader
	t.cwd = filepath.Join(t.root, filepath.FromSlash(run.Command.Dir))
	if layout, err := source.ReadLayout(t.cwd, run.Workspace.Env); err == nil {
		t.layout = layout
	}
	t.build = buildContext(run, slices.Concat(selection.tags, selection.instruments))
	t.named = t.namedFiles(selection.files)
	return t
}

// dir returns the directory of a package.
func (p *paths) dir(importPath string) (string, bool) {
	if p.layout == nil {
		return "", false
	}
	return p.layout.Dir(importPath)
}

// importPath returns the package of a directory, or "" if it is in no module.
func (p *paths) importPath(dir string) string {
	if p.layout == nil {
		return ""
	}
	best := source.Module{}
	for _, module := range p.layout.Main {
		if rel, err := filepath.Rel(module.Dir, dir); err == nil && filepath.IsLocal(rel) && len(module.Dir) > len(best.Dir) {
			best = module
		}
	}
	if best.Dir == "" {
		return ""
	}
	rel, _ := filepath.Rel(best.Dir, dir) // succeeded above
	return path.Join(best.Path, filepath.ToSlash(rel))
}

// locate converts a file name as Go printed it to a place. It may be an absolute path,
// the base name of a file of the package, a path relative to where the command ran, or
// with -trimpath one that starts with an import path.
func (t *tree) locate(s *suite, file string, line int) sdk.Location {
	if file == "" {
		return sdk.Location{}
	}
	return sdk.Location{File: t.relative(t.resolve(s, file)), Line: line}
}

// isOwn reports whether a file belongs to neither Go nor a library.
func (p *paths) isOwn(file string) bool { return !isVendored(file) && !p.isGo(file) }

// places returns the printed places that are in neither Go nor a library.
func (t *tree) places(s *suite, printed []string) []sdk.Location {
	var all []sdk.Location
	for _, l := range printed {
		if file, line, ok := pathAndLine(strings.TrimSpace(l)); ok && t.isOwn(file) && !t.isElsewhere(s, file) {
			all = append(all, t.locate(s, file, line))
		}
	}
	return all
}

// placeIn returns the first place in a stack that is in neither Go nor a library.
func (t *tree) placeIn(s *suite, stack []string) sdk.Location {
	for _, l := range stack {
		place, _, _ := strings.Cut(strings.TrimSpace(l), " ")
		if file, line, ok := pathAndLine(place); ok && strings.HasSuffix(file, ".go") && t.isOwn(file) {
			return t.locate(s, file, line)
		}
	}
	return sdk.Location{}
}

// isElsewhere reports whether a base name belongs to no file of the package or of its
// imports: it is that of a helper in another module, whose place is unknown.
func (t *tree) isElsewhere(s *suite, file string) bool {
	dir, known := t.dir(s.name)
	return known && !strings.ContainsAny(file, `/\`) && len(t.source(s).files) > 0 && !t.isFile(t.inPackage(s, dir, file))
}

// resolve makes a path absolute if it can.
func (t *tree) resolve(s *suite, file string) string {
	if isAbs(file) {
		return t.mapForeign(file)
	}
	if t.root == "" {
		return path.Clean(file)
	}
	dir, known := t.dir(s.name)
	if !strings.ContainsAny(file, `/\`) {
		if known {
			return t.inPackage(s, dir, file)
		}
		return file
	}
	if trimmed, ok := t.dir(path.Dir(file)); ok {
		return filepath.Join(trimmed, path.Base(file))
	}
	return filepath.Join(t.cwd, filepath.FromSlash(file))
}

// fromCommand makes absolute what the go command says of a package that it cannot load: the
// name is from where the command runs, and is often that of a file of another package.
func (t *tree) fromCommand(file string) string {
	if isAbs(file) || t.root == "" {
		return file
	}
	return filepath.Join(t.cwd, filepath.FromSlash(file))
}

// inPackage finds the file with a base name: in the package itself, or in a package of
// the workspace that its tests import, where a helper without t.Helper reports its own
// line.
func (t *tree) inPackage(s *suite, dir, base string) string {
	here := filepath.Join(dir, base)
	if t.isFile(here) {
		return here
	}
	for _, imported := range t.source(s).imports {
		other, ok := t.dir(imported)
		if ok && t.isFile(filepath.Join(other, base)) {
			return filepath.Join(other, base)
		}
	}
	return here
}

// mapForeign maps a file of another machine, or of another checkout, to the file of the
// workspace with the longest common suffix.
func (p *paths) mapForeign(file string) string {
	slashed := strings.ReplaceAll(file, `\`, "/")
	if p.root == "" || p.isUnder(slashed) || isVendored(slashed) || p.isFile(file) {
		return file
	}
	from := path.Dir(slashed)
	to, known := p.dirs[from]
	if !known {
		for rest := from; ; {
			_, after, found := strings.Cut(strings.TrimPrefix(rest, "/"), "/")
			if !found {
				after = "."
			}
			rest = after
			if candidate := filepath.Join(p.root, filepath.FromSlash(rest)); p.isFile(filepath.Join(candidate, path.Base(slashed))) {
				to = candidate
				break
			}
			if !found {
				break
			}
		}
		p.dirs[from] = to
	}
	if to == "" {
		return file
	}
	return filepath.Join(to, path.Base(slashed))
}

// isGo reports whether a file belongs to Go itself when its function is unknown:
// assembly, and files below a src directory like the standard library's, outside of the
// workspace.
func (p *paths) isGo(file string) bool {
	slashed := strings.ReplaceAll(file, `\`, "/")
	if path.Ext(slashed) == ".s" {
		return true
	}
	dir := path.Dir(slashed)
	i := strings.LastIndex(dir, "/src/")
	return i >= 0 && isStandardPath(dir[i+len("/src/"):]) && !(p.root != "" && p.isUnder(slashed))
}

func (p *paths) isUnder(slashed string) bool {
	return strings.HasPrefix(slashed, strings.TrimSuffix(filepath.ToSlash(p.root), "/")+"/")
}

// relative returns a path relative to the workspace.
func (p *paths) relative(file string) string {
	slashed := filepath.ToSlash(file)
	if p.root != "" && p.isUnder(slashed) {
		return slashed[len(strings.TrimSuffix(filepath.ToSlash(p.root), "/"))+1:]
	}
	return slashed
}

// absolute is the inverse of relative.
func (p *paths) absolute(l sdk.Location) string {
	if isAbs(l.File) || p.root == "" {
		return l.File
	}
	return filepath.Join(p.root, filepath.FromSlash(l.File))
}

// maxKnown bounds what is cached about the disk.
const maxKnown = 4096

func (p *paths) isFile(file string) bool {
	known, seen := p.exists[file]
	if seen {
		return known
	}
	info, err := os.Stat(file)
	if len(p.exists) > maxKnown {
		clear(p.exists)
	}
	p.exists[file] = err == nil && info.Mode().IsRegular()
	return p.exists[file]
}

// isAbs accepts absolute paths of any system, because a recording may come from another
// one.
func isAbs(file string) bool {
	if strings.HasPrefix(file, "/") || strings.HasPrefix(file, `\\`) {
		return true
	}
	return len(file) > 2 && file[1] == ':' && (file[2] == '/' || file[2] == '\\') &&
		(file[0] >= 'a' && file[0] <= 'z' || file[0] >= 'A' && file[0] <= 'Z')
}

// frames converts the stack of a failure.
func (t *tree) frames(s *suite, frames []frame) []sdk.Frame {
	var all []sdk.Frame
	for _, f := range frames {
		all = append(all, sdk.Frame{Function: f.function, Location: t.locate(s, f.file, f.line)})
	}
	return all
}

// namedSuite is the import path of a package given as a list of files.
const namedSuite = "command-line-arguments"

// namedFiles returns the files of such a package, or none without a workspace.
func (p *paths) namedFiles(names []string) map[string][]string {
	if p.root == "" || len(names) == 0 {
		return nil
	}
	var files []string
	for _, name := range names {
		if !isAbs(name) {
			name = filepath.Join(p.cwd, filepath.FromSlash(name))
		}
		files = append(files, name)
	}
	return map[string][]string{namedSuite: files}
}
