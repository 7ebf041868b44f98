package gotest

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// maxDirs bounds the search for nested modules: enough for the largest known
// repositories, and a second's work.
const maxDirs = 20_000

// Detect implements [sdk.ProjectDetector]: a go.mod or go.work file in the root makes a
// project, unless go.work is switched off. It names modules below that a run leaves out,
// even if the root is not a project: it may be one of another language.
func (d *Detector) Detect(ctx context.Context, workspace sdk.Workspace) (sdk.Detection, error) {
	project := openProject(workspace)
	nested, err := project.nestedModules(ctx)
	if err != nil {
		return sdk.Detection{}, err
	}
	with := openProject(withEnvironmentFile(workspace))
	isWork := isFile(filepath.Join(workspace.Root, "go.work")) && with.workspace.Env["GOWORK"] != "off"
	if !isWork && !isFile(filepath.Join(workspace.Root, "go.mod")) {
		return sdk.Detection{Untested: nested}, nil
	}
	return sdk.Detection{
		Detected: true, Untested: append(project.unusedRoot(), nested...), Settings: with.settings(workspace.Env),
		SuitePrefixes: project.layout.Prefixes(), Outside: project.layout.Outside(),
	}, nil
}

// unusedRoot names the root's own module if the workspace leaves it out.
func (p project) unusedRoot() []sdk.Untested {
	if p.layout.RootModule.Dir == "" || p.layout.WorkFile == "" || p.layout.Uses(p.layout.Root) {
		return nil
	}
	return []sdk.Untested{{
		Path:   ".",
		Reason: fmt.Sprintf("the module here is not used by %s; add it there with \"go work use .\", or set GOWORK=off", p.layout.WorkFile),
	}}
}

// nestedModules looks for modules with tests that the root's commands do not reach.
func (p project) nestedModules(ctx context.Context) ([]sdk.Untested, error) {
	search := &search{project: p}
	err := filepath.WalkDir(p.layout.Root, func(path string, entry fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return search.visit(path, entry, err)
	})
	if err != nil {
		return nil, err
	}
	if search.dirs > maxDirs {
		search.found = append(search.found, sdk.Untested{
			Path:   ".",
			Reason: fmt.Sprintf("only the first %d directories were searched for nested modules, which are tested separately", maxDirs),
		})
	}
	return search.found, nil
}

// search is a walk through a workspace.
type search struct {
	project project
	dirs    int
	// modules holds the nested modules on the way to the current directory.
	modules []nestedModule
	found   []sdk.Untested
}

type nestedModule struct {
	dir      string
	reported bool
}

func (s *search) visit(path string, entry fs.DirEntry, err error) error {
	if err != nil {
		return skipUnreadable(entry)
	}
	if !entry.IsDir() {
		s.reportModuleOf(path)
		return nil
	}
	if s.dirs++; s.dirs > maxDirs {
		return fs.SkipAll
	}
	if path == s.project.layout.Root {
		return nil
	}
	if isSkippedDir(entry.Name()) {
		return fs.SkipDir
	}
	if isFile(filepath.Join(path, "go.mod")) {
		s.modules = append(s.modules, nestedModule{dir: path, reported: s.project.layout.Uses(path)})
	}
	return nil
}

// reportModuleOf reports the module of a test file, once.
func (s *search) reportModuleOf(path string) {
	if !strings.HasSuffix(path, "_test.go") {
		return
	}
	for len(s.modules) > 0 && !isBelow(path, s.modules[len(s.modules)-1].dir) {
		s.modules = s.modules[:len(s.modules)-1]
	}
	if len(s.modules) == 0 || s.modules[len(s.modules)-1].reported {
		return
	}
	module := &s.modules[len(s.modules)-1]
	module.reported = true
	rel, err := filepath.Rel(s.project.layout.Root, module.dir)
	if err != nil {
		return
	}
	rel = filepath.ToSlash(rel)
	s.found = append(s.found, sdk.Untested{
		Path:   rel,
		Reason: "a separate module, which go test ./... does not enter",
	})
}

// isSkippedDir reports whether the go command does not look for packages in a directory, or
// it holds foreign modules.
func isSkippedDir(name string) bool {
	return name == "vendor" || name == "node_modules" || name == "testdata" || name[0] == '.' || name[0] == '_'
}

func skipUnreadable(entry fs.DirEntry) error {
	if entry != nil && entry.IsDir() {
		return fs.SkipDir
	}
	return nil
}

func isBelow(path, dir string) bool {
	return strings.HasPrefix(path, dir+string(filepath.Separator))
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
