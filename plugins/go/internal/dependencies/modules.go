package dependencies

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// The names of two parts that are not packages.
const (
	moduleFiles = "module files"
	toolchain   = "go toolchain"
)

// moduleFiles returns the part for the files that decide which modules are used, in
// which versions, and where they are. It is one part for all modules, as each affects
// the versions for all.
func (g *Graph) moduleFiles() sdk.ListedPart {
	layout := g.cfg.Layout
	var names []string
	for _, module := range layout.Modules() {
		g.modules[module.Dir] = true
	}
	main := map[string]bool{layout.Root: true}
	for _, module := range layout.Main {
		main[module.Dir] = true
	}
	if layout.WorkFile != "" {
		main[filepath.Dir(layout.WorkFile)] = true
		names = append(names, layout.WorkFile, strings.TrimSuffix(layout.WorkFile, ".work")+".work.sum")
	}
	for dir := range g.modules {
		names = append(names, filepath.Join(dir, "go.mod"))
	}
	for dir := range main {
		names = append(names, filepath.Join(dir, "go.mod"), filepath.Join(dir, "go.sum"), filepath.Join(dir, "vendor", "modules.txt"))
	}
	// The nearest go.work above counts.
	for dir := layout.Root; ; dir = filepath.Dir(dir) {
		names = append(names, filepath.Join(dir, "go.work"))
		if filepath.Dir(dir) == dir {
			break
		}
	}
	if file := g.cfg.ModFile; file != "" {
		names = append(names, file, strings.TrimSuffix(file, ".mod")+".sum")
	}
	part := sdk.ListedPart{Name: moduleFiles}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		part.Patterns = append(part.Patterns, g.protocolPath(name))
		if layout.Reader.IsFile(name) {
			part.Files = append(part.Files, g.protocolPath(name))
		}
	}
	return part
}

// toolchain returns the part that changes with the version of Go. A Go built from its
// repository has no VERSION file.
func (g *Graph) toolchain() (sdk.ListedPart, bool) {
	if g.goRoot == "" {
		return sdk.ListedPart{}, false
	}
	part := sdk.ListedPart{Name: toolchain, Tools: true}
	if file := filepath.Join(g.goRoot, "VERSION"); g.cfg.Layout.Reader.IsFile(file) {
		part.Files = []string{g.protocolPath(file)}
	}
	return part, true
}
