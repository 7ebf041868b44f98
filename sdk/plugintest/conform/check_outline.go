package conform

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/plugintest/golden"
)

const (
	// maxOutlined is how many files of a workspace are requested.
	maxOutlined = 500
	// maxSource is how large they may be.
	maxSource = 1 << 20
	// noFile does not exist.
	noFile = "no/such/directory/no-such-file"
)

func checkOutline(ctx context.Context, s *subject, p *probe) {
	if !s.identity.Outline {
		p.exempt("the plugin does not declare CAPABILITY_OUTLINE")
		return
	}
	if !s.hasWorkspace(p) {
		return
	}
	lines, err := sourcesToOutline(ctx, s.Workspace.Root)
	if err != nil {
		p.skip("the workspace cannot be read: " + err.Error())
		return
	}
	files := []string{noFile}
	for name := range lines {
		files = append(files, name)
	}
	first, ok := askOutlines(ctx, s, p, "files of the workspace", files)
	if !ok {
		return
	}
	again, ok := askOutlines(ctx, s, p, "files of the workspace, requested again", files)
	if !ok {
		return
	}
	if !reflect.DeepEqual(first, again) {
		p.fail("two outlines of equal files differ", "make a digest depend only on the source")
	}
	if len(first) == 0 {
		p.skip("Outline reports no file of the workspace: give a workspace with sources, or fix Outline")
		return
	}
	damaged := map[string]bool{}
	for name, f := range first {
		most, asked := lines[name]
		if !asked {
			p.fail(fmt.Sprintf("Outline reports %.200q, which does not exist or was not requested", name), "leave out what cannot be read")
			continue
		}
		checkUnits(p, f, most)
		if kind := filepath.Ext(name); !damaged[kind] {
			damaged[kind] = true
			checkDamagedSource(ctx, s, p, name)
		}
	}
}

// sourcesToOutline returns the number of lines of each regular file below a directory, by
// name.
func sourcesToOutline(ctx context.Context, root string) (map[string]int, error) {
	lines := map[string]int{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || ctx.Err() != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != root:
			return filepath.SkipDir
		case !d.Type().IsRegular():
			return nil
		case len(lines) == maxOutlined:
			return filepath.SkipAll
		}
		info, err := d.Info()
		if err != nil || info.Size() > maxSource {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		lines[filepath.ToSlash(name)] = bytes.Count(data, []byte("\n")) + 1
		return err
	})
	return lines, err
}

// askOutlines makes one request, and returns what was reported by file.
func askOutlines(ctx context.Context, s *subject, p *probe, what string, files []string) (map[string]sdk.OutlinedFile, bool) {
	limited, cancel := context.WithTimeout(ctx, s.ParseLimit)
	defer cancel()
	var got golden.Outlines
	if err := s.detector.Outline(limited, sdk.OutlineRequest{Workspace: s.Workspace, Files: files}, &got); err != nil {
		s.reportBroken(ctx, p, "Outline of "+what, err)
		return nil, false
	}
	found := map[string]sdk.OutlinedFile{}
	for _, f := range got.Files {
		if _, twice := found[f.File]; twice {
			p.fail(fmt.Sprintf("Outline reports %.200q twice", f.File), "report each file once")
		}
		found[f.File] = f
	}
	return found, true
}

// checkDamagedSource requests a file that is named like a source but is not one.
func checkDamagedSource(ctx context.Context, s *subject, p *probe, like string) {
	dir, err := os.MkdirTemp("", "kit")
	if err != nil {
		p.skip("cannot make a directory: " + err.Error())
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, filepath.Base(like))
	garbage := bytes.Repeat([]byte("{(\xff\x00\"\n"), 1000)
	if err := os.WriteFile(path, garbage, 0o600); err != nil {
		p.skip("cannot write a file: " + err.Error())
		return
	}
	path = filepath.ToSlash(path)
	found, _ := askOutlines(ctx, s, p, "a damaged file", []string{path})
	if f, ok := found[path]; ok {
		checkUnits(p, f, bytes.Count(garbage, []byte("\n"))+1)
	}
}

func checkUnits(p *probe, f sdk.OutlinedFile, lines int) {
	type key struct {
		kind sdk.UnitKind
		name string
	}
	seen := map[key]bool{}
	for _, u := range f.Units {
		k := key{u.Kind, u.Name}
		switch {
		case u.StartLine < 1 || u.EndLine < u.StartLine || u.EndLine > lines:
			p.fail(fmt.Sprintf("%s: %.100q is on lines %d to %d of %d", f.File, u.Name, u.StartLine, u.EndLine, lines), "count lines from 1; both are part of the unit")
		case u.Digest == "":
			p.fail(fmt.Sprintf("%s: %.100q has no digest", f.File, u.Name), "make the digest identify the content")
		case u.Kind == sdk.UnitTest && u.Test == "":
			p.fail(fmt.Sprintf("%s: %.100q declares a test without a name", f.File, u.Name), "name the test as results do")
		case seen[k]:
			p.fail(fmt.Sprintf("%s: two units of one kind are called %.100q", f.File, u.Name), "number them: a host ignores such a file")
		}
		seen[k] = true
	}
}
