package forge

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/internal/lazyregexp"
	"github.com/proctorhq/proctor/plugins/forge/internal/settings"
	"github.com/proctorhq/proctor/sdk"
)

// maxLinks bounds the libraries of a scaffold.
const maxLinks = 200

// libraryName is the name of a library's directory: "solmate", "@scope/name".
var libraryName = lazyregexp.New(`^(@[A-Za-z0-9_-][A-Za-z0-9._-]*/)?[A-Za-z0-9_-][A-Za-z0-9._@+-]*$`)

// dependencies are the libraries of one project, for use by another.
type dependencies struct {
	root string
	// dirs are the absolute directories of libraries.
	dirs []string
	// own are the libraries among the sources, in lower case.
	own map[string]bool

	links      []sdk.Link
	remappings []string
	warnings   []string
}

// newDependencies links what is in the project's library directories, and moves its
// remappings, including those that forge found itself, to where the links appear. From
// node_modules it links only what a remapping names.
func newDependencies(ws sdk.Workspace, s settings.Settings, sources []sdk.SourceFile) *dependencies {
	d := &dependencies{root: ws.Root, own: map[string]bool{}}
	d.recordOwn(sources)
	if ws.Root == "" {
		return d
	}
	for _, dir := range s.Libs {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(ws.Root, dir)
		}
		d.dirs = append(d.dirs, filepath.Clean(dir))
	}
	for _, line := range s.Remappings {
		d.remap(line)
	}
	for _, dir := range d.dirs {
		if filepath.Base(dir) != "node_modules" {
			d.linkAll(dir)
		}
	}
	return d
}

// recordOwn records the libraries among the sources, and maps their names like forge: to
// their src if they have one.
func (d *dependencies) recordOwn(sources []sdk.SourceFile) {
	roots := map[string]string{}
	for _, source := range sources {
		parts := strings.Split(source.Path, "/")
		if parts[0] != "lib" || len(parts) < 3 || !libraryName.MatchString(parts[1]) {
			continue
		}
		name := parts[1]
		d.own[strings.ToLower(name)] = true
		if root := path.Join("lib", name) + "/"; roots[name] == "" {
			roots[name] = root
		}
		if parts[2] == "src" && len(parts) > 3 {
			roots[name] = path.Join("lib", name, "src") + "/"
		}
	}
	for name, root := range roots {
		d.remappings = append(d.remappings, name+"/="+root)
	}
	slices.Sort(d.remappings)
}

// remap moves a remapping: [CONTEXT:]PREFIX=PATH.
func (d *dependencies) remap(line string) {
	from, to, ok := strings.Cut(line, "=")
	context, prefix, scoped := strings.Cut(from, ":")
	if !scoped {
		context, prefix = "", from
	}
	if target, inside := d.movePath(to); ok && inside && prefix != "" && isLiteral(prefix) {
		if context == "" {
			d.remappings = append(d.remappings, prefix+"="+target)
			return
		}
		if moved, inside := d.movePath(context); inside {
			d.remappings = append(d.remappings, moved+":"+prefix+"="+target)
			return
		}
	}
	d.warnings = append(d.warnings, fmt.Sprintf("the remapping %q of the project is not used for the sources: it does not lead into a library of its own", shorten(line)))
}

// movePath returns where a path of the project is in the scaffold: in a linked library, or
// among the sources.
func (d *dependencies) movePath(target string) (string, bool) {
	slash := ""
	if strings.HasSuffix(target, "/") {
		slash = "/"
	}
	absolute := filepath.FromSlash(target)
	if !filepath.IsAbs(absolute) {
		if first, _, _ := strings.Cut(path.Clean(target), "/"); slices.Contains(sourceDirs()[:3], first) && filepath.IsLocal(absolute) && isLiteral(target) {
			return path.Clean(target) + slash, true
		}
		absolute = filepath.Join(d.root, absolute)
	}
	for _, dir := range d.dirs {
		rel, err := filepath.Rel(dir, absolute)
		if err != nil || !filepath.IsLocal(rel) || rel == "." {
			continue
		}
		name, rest := splitLibrary(filepath.ToSlash(rel))
		if !isLiteral(rest) || !d.link(dir, name) {
			return "", false
		}
		return path.Join("lib", name, rest) + slash, true
	}
	return "", false
}

// splitLibrary splits a path below a library directory.
func splitLibrary(rel string) (name, rest string) {
	name, rest, _ = strings.Cut(rel, "/")
	if strings.HasPrefix(name, "@") && rest != "" {
		sub, deeper, _ := strings.Cut(rest, "/")
		return name + "/" + sub, deeper
	}
	return name, rest
}

// linkAll links every library of a directory.
func (d *dependencies) linkAll(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, entry := range entries {
		if libraryName.MatchString(entry.Name()) {
			d.link(dir, entry.Name())
		}
	}
}

// link links a library once. A library among the sources replaces it.
func (d *dependencies) link(dir, name string) bool {
	if !libraryName.MatchString(name) || d.own[strings.ToLower(name)] {
		return false
	}
	target, err := filepath.EvalSymlinks(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		return false
	}
	if info, err := os.Stat(target); err != nil || !info.IsDir() {
		return false
	}
	at := path.Join("lib", name)
	for _, link := range d.links {
		if strings.EqualFold(link.Path, at) {
			return link.Target == target
		}
		if isBelow(link.Path, at) || isBelow(at, link.Path) {
			return false
		}
	}
	if len(d.links) == maxLinks {
		d.warnings = append(d.warnings, fmt.Sprintf("only the first %d libraries of the project are linked", maxLinks))
	}
	if len(d.links) >= maxLinks {
		return false
	}
	d.links = append(d.links, sdk.Link{Path: at, Target: target})
	return true
}

// isBelow reports whether a slash-separated path is below a directory.
func isBelow(name, dir string) bool {
	return strings.HasPrefix(strings.ToLower(name), strings.ToLower(dir)+"/")
}
