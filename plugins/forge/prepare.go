package forge

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/plugins/forge/internal/arguments"
	"github.com/proctorhq/proctor/plugins/forge/internal/settings"
	"github.com/proctorhq/proctor/sdk"
)

// prepareCommands returns the commands that compile what has changed before a run: if
// forge 1.7.1 itself compiles some of the sources, it draws other inputs for fuzz tests in
// all suites, so that measures before and after a change could not be compared, and a seed
// would not reproduce a failure. If nothing or everything must be compiled, it returns
// none.
func prepareCommands(ctx context.Context, ws sdk.Workspace, s settings.Settings, list arguments.List, filters []string) []sdk.Command {
	index, err := os.Stat(indexFile(ws.Root, s))
	if err != nil || s.Recompiles || !changedSince(ctx, ws.Root, s, index.ModTime()) {
		return nil
	}
	c := listCommand(s, list, filters)
	c.Prepares = true
	return []sdk.Command{c}
}

// indexFile returns the compiler's index, which forge writes in every run.
func indexFile(root string, s settings.Settings) string {
	file := filepath.Join(s.CachePath, "solidity-files-cache.json")
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(root, file)
}

// changedSince reports whether a file that forge compiles, or its configuration, was
// written after a time, or in the same tick of the file system's clock. It is fast rather
// than certain: it skips libraries, which are many and seldom change.
func changedSince(ctx context.Context, root string, s settings.Settings, since time.Time) bool {
	newer := func(info fs.FileInfo, err error) bool { return err == nil && !info.ModTime().Before(since) }
	if newer(os.Stat(filepath.Join(root, marker))) {
		return true
	}
	passed := map[string]bool{}
	for _, dir := range slices.Concat(s.Libs, []string{s.Out, s.CachePath}) {
		passed[filepath.Join(root, dir)] = true
	}
	left := maxDirs
	for _, dir := range []string{s.Src, s.Test, s.Script} {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(root, dir)
		}
		changed := false
		_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			left--
			switch {
			case ctx.Err() != nil || left < 0:
				return fs.SkipAll
			case err != nil:
				return nil
			case entry.IsDir():
				if path != dir && (passed[path] || strings.HasPrefix(entry.Name(), ".") || entry.Name() == "node_modules") {
					return fs.SkipDir
				}
			case strings.HasSuffix(path, ".sol"):
				if changed = newer(entry.Info()); changed {
					return fs.SkipAll
				}
			}
			return nil
		})
		if changed {
			return true
		}
	}
	return false
}
