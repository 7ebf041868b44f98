package source

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Module is one module on disk.
type Module struct {
	// Path is the module path.
	Path string
	// Dir is its absolute directory, with symbolic links resolved.
	Dir string
}

// Layout is the set of modules that the go command works on in a workspace root.
type Layout struct {
	// Root is the absolute workspace root, with symbolic links resolved.
	Root string
	// WorkFile is the go.work file in effect; empty if there is none.
	WorkFile string
	// RootModule is the module in Root itself, in effect or not; its Dir is empty if
	// there is none.
	RootModule Module
	// Main holds the modules in effect.
	Main []Module
	// Requires holds the versions of the go and toolchain lines of the files in
	// effect, such as "1.24" and "go1.24.3".
	Requires []string
	// Reader reads the files of the workspace.
	Reader Reader

	// local are main modules and modules replaced by a local directory.
	local []Module
}

// ReadLayout finds the modules of a root like the go command. Of env, it uses GOWORK
// and [Upload].
func ReadLayout(root string, env map[string]string) (*Layout, error) {
	root = resolveLinks(root)
	layout := &Layout{Root: root, Reader: NewReader(root, env)}
	rootMod, err := layout.Reader.modFile(filepath.Join(root, "go.mod"))
	hasRoot := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if hasRoot {
		layout.RootModule = Module{Path: rootMod.module, Dir: root}
	}
	layout.WorkFile = workFile(root, env["GOWORK"])
	if layout.WorkFile == "" {
		if hasRoot {
			layout.addMain(rootMod, root)
		}
		return layout, nil
	}
	return layout, layout.readWork()
}

// Dir returns the directory of a package by its import path. ok is false if the path is
// in no known module; Dir does not check that the directory exists.
func (l *Layout) Dir(importPath string) (string, bool) {
	var best Module
	for _, module := range l.local {
		if len(module.Path) >= len(best.Path) && hasPathPrefix(importPath, module.Path) {
			best = module
		}
	}
	if best.Dir == "" {
		return l.standardDir(importPath)
	}
	return filepath.Join(best.Dir, filepath.FromSlash(strings.TrimPrefix(importPath, best.Path))), true
}

// Modules returns the modules in effect and those replaced by a directory.
func (l *Layout) Modules() []Module { return slices.Clone(l.local) }

// Prefixes returns what precedes a directory, relative to the root, in the import paths of
// the modules in effect. A module whose path does not end with its directory has none.
func (l *Layout) Prefixes() []string {
	var prefixes []string
	for _, module := range l.Main {
		prefix := module.Path
		rel, inside := RelativeTo(l.Root, module.Dir)
		if inside && rel != "." {
			prefix, inside = strings.CutSuffix(prefix, "/"+filepath.ToSlash(rel))
		}
		if inside && prefix != "" && !slices.Contains(prefixes, prefix) {
			prefixes = append(prefixes, prefix)
		}
	}
	return prefixes
}

// Outside returns the directories of modules outside of the root.
func (l *Layout) Outside() []string {
	var dirs []string
	for _, module := range l.local {
		if _, inside := RelativeTo(l.Root, module.Dir); !inside && !slices.Contains(dirs, module.Dir) {
			dirs = append(dirs, module.Dir)
		}
	}
	return dirs
}

// Uses reports whether the module in an absolute directory is in effect.
func (l *Layout) Uses(dir string) bool {
	dir = resolveLinks(dir)
	for _, module := range l.Main {
		if module.Dir == dir {
			return true
		}
	}
	return false
}

// standardDir handles the Go source tree itself, whose module is named std and whose
// import paths do not begin with it.
func (l *Layout) standardDir(importPath string) (string, bool) {
	first, _, _ := strings.Cut(importPath, "/")
	if strings.Contains(first, ".") {
		return "", false
	}
	for _, module := range l.Main {
		if module.Path == "std" {
			return filepath.Join(module.Dir, filepath.FromSlash(importPath)), true
		}
	}
	return "", false
}

func (l *Layout) readWork() error {
	work, err := l.Reader.modFile(l.WorkFile)
	if err != nil {
		return err
	}
	l.addRequired(work)
	base := filepath.Dir(l.WorkFile)
	for _, use := range work.uses {
		dir := resolveLinks(joinAbsolute(base, use))
		file, err := l.Reader.modFile(filepath.Join(dir, "go.mod"))
		if err != nil {
			continue // the go command rejects the whole workspace, and says why
		}
		l.addMain(file, dir)
	}
	l.addReplaces(work, base)
	return nil
}

func (l *Layout) addMain(file modFile, dir string) {
	module := Module{Path: file.module, Dir: dir}
	l.Main = append(l.Main, module)
	l.local = append(l.local, module)
	l.addRequired(file)
	l.addReplaces(file, dir)
}

func (l *Layout) addReplaces(file modFile, base string) {
	for path, target := range file.replaces {
		l.local = append(l.local, Module{Path: path, Dir: resolveLinks(joinAbsolute(base, target))})
	}
}

func (l *Layout) addRequired(file modFile) {
	for _, version := range []string{file.goVersion, file.toolchain} {
		if version != "" {
			l.Requires = append(l.Requires, version)
		}
	}
}

// workFile finds the go.work file in effect like the go command: the value of GOWORK,
// or the nearest one above.
func workFile(root, setting string) string {
	switch setting {
	case "off":
		return ""
	case "", "auto":
	default:
		return resolveLinks(setting)
	}
	for dir := root; ; dir = filepath.Dir(dir) {
		path := filepath.Join(dir, "go.work")
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path
		}
		if filepath.Dir(dir) == dir {
			return ""
		}
	}
}

func joinAbsolute(base, path string) string {
	path = filepath.FromSlash(path)
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(base, path)
}

// RelativeTo returns a path relative to a directory. ok reports whether the path is the
// directory or below it.
func RelativeTo(dir, path string) (rel string, ok bool) {
	if dir == "" {
		return "", false
	}
	rel, err := filepath.Rel(dir, path)
	return rel, err == nil && filepath.IsLocal(rel)
}

// resolveLinks resolves symbolic links if the path exists.
func resolveLinks(path string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	return filepath.Clean(path)
}

func hasPathPrefix(path, prefix string) bool {
	return prefix != "" && strings.HasPrefix(path, prefix) &&
		(len(path) == len(prefix) || path[len(prefix)] == '/')
}
