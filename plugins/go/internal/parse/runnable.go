package parse

import (
	"bytes"
	"go/build"
	"go/build/constraint"
	"io"
	"path/filepath"
	"strings"

	"github.com/proctorhq/proctor/plugins/go/internal/source"
)

// countSelected counts the functions of a suite that the command runs. certain
// are those in files that are part of every build. It is not known when the
// sources are not.
func (e *suiteEnder) countSelected(s *suite) (all, certain int, known bool) {
	if !e.selection.known || len(e.tree.source(s).files) == 0 {
		return 0, 0, false
	}
	for _, file := range e.tree.source(s).files {
		if !isTestFile(file) {
			continue
		}
		src, err := e.tree.reader.Bytes(file, source.MaxFile)
		if err != nil {
			return 0, 0, false
		}
		selected := 0
		for _, f := range source.Scan(src) {
			if e.selection.selects(s.name, f.Name) {
				selected++
			}
		}
		all += selected
		if selected > 0 && inEveryBuild(file, src) {
			certain += selected
		}
	}
	return all, certain, true
}

// isTestFile leaves out what the go command does not look at.
func isTestFile(file string) bool {
	base := filepath.Base(file)
	return strings.HasSuffix(base, "_test.go") && base[0] != '_' && base[0] != '.'
}

// inEveryBuild reports whether neither a constraint nor its name keeps a file out
// of some builds. Which build it was is known only to the go command.
func inEveryBuild(file string, src []byte) bool {
	// No platform has this name, so only a file for any platform matches.
	nowhere := build.Context{
		GOOS: "nowhere", GOARCH: "nothing", Compiler: "gc",
		OpenFile: func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(src)), nil },
	}
	if match, err := nowhere.MatchFile(filepath.Dir(file), filepath.Base(file)); err != nil || !match {
		return false
	}
	for l := range strings.Lines(string(src)) {
		l = strings.TrimSpace(l)
		if strings.HasPrefix(l, "package ") {
			break
		}
		if constraint.IsGoBuild(l) || constraint.IsPlusBuild(l) {
			return false
		}
	}
	return true
}
