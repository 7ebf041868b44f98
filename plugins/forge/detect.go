package forge

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/plugins/forge/internal/settings"
	"github.com/proctorhq/proctor/sdk"
)

// maxDirs bounds the search for nested projects: enough for the largest known
// repositories, and a second's work.
const maxDirs = 20_000

// Detect implements [sdk.ProjectDetector]: a foundry.toml in the root makes a project.
// It names projects below that a run leaves out, even if the root is not a project: it
// may be one of another language.
func (d *Detector) Detect(ctx context.Context, ws sdk.Workspace) (sdk.Detection, error) {
	detected := isFile(filepath.Join(ws.Root, marker))
	if why := settings.ExplainUnaskable(ws.Root); detected && why != "" {
		return sdk.Detection{}, &sdk.Error{Reason: sdk.WorkspaceNotSupported, Message: why}
	}
	search := &search{root: ws.Root}
	err := filepath.WalkDir(ws.Root, func(path string, entry fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return search.visit(path, entry, err)
	})
	if err != nil {
		return sdk.Detection{}, err
	}
	if search.dirs > maxDirs {
		search.found = append(search.found, sdk.Untested{
			Path:   ".",
			Reason: fmt.Sprintf("only the first %d directories were searched for nested projects, which are tested separately", maxDirs),
		})
	}
	return sdk.Detection{Detected: detected, Untested: search.found}, nil
}

// search is a walk through a workspace.
type search struct {
	root  string
	dirs  int
	found []sdk.Untested
}

func (s *search) visit(path string, entry fs.DirEntry, err error) error {
	if err != nil {
		if entry != nil && entry.IsDir() {
			return fs.SkipDir
		}
		return nil
	}
	if !entry.IsDir() || path == s.root {
		return nil
	}
	if s.dirs++; s.dirs > maxDirs {
		return fs.SkipAll
	}
	if isSkippedDir(entry.Name()) {
		return fs.SkipDir
	}
	if !isFile(filepath.Join(path, marker)) {
		return nil
	}
	rel, err := filepath.Rel(s.root, path)
	if err != nil {
		return nil
	}
	rel = filepath.ToSlash(rel)
	s.found = append(s.found, sdk.Untested{
		Path:   rel,
		Reason: "a separate project",
	})
	return nil
}

// isSkippedDir reports whether a directory holds dependencies, output and the like. The
// configuration may name others, but before a project is recognized nothing is
// executed, so it is unknown.
func isSkippedDir(name string) bool {
	return strings.HasPrefix(name, ".") ||
		slices.Contains([]string{"lib", "node_modules", "dependencies", "out", "cache", "artifacts", "broadcast", "testdata"}, name)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
