package forge

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/proctorhq/proctor/internal/lazyregexp"
	"github.com/proctorhq/proctor/plugins/forge/internal/composition"
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

// sourceDirs returns the directories that may hold sources.
func sourceDirs() []string { return []string{"src", "test", "script", "lib"} }

// checkSources rejects what must not be among sources. The host checks paths, too, but
// what protects the machine must not depend on that.
func checkSources(sources []sdk.SourceFile) error {
	if len(sources) == 0 {
		return invalidSources("there are no sources: give at least one .sol file below test/")
	}
	seen := map[string]string{}
	for _, source := range sources {
		if why := badPath(source.Path); why != "" {
			return invalidSources("%q cannot be a source: %s", source.Path, why)
		}
		folded := strings.ToLower(source.Path)
		if other, known := seen[folded]; known {
			return invalidSources("%q and %q are the same file on systems that ignore case: rename one", other, source.Path)
		}
		seen[folded] = source.Path
		if !utf8.Valid(source.Content) {
			return invalidSources("%q is not UTF-8 text: save it as UTF-8", source.Path)
		}
		if why := badConfiguration(string(source.Content)); why != "" {
			return invalidSources("%q cannot be a source: %s", source.Path, why)
		}
	}
	return nil
}

// badPath says what is wrong with a path; empty means nothing.
func badPath(name string) string {
	switch {
	case name == "" || path.Clean(name) != name || path.IsAbs(name) || name == ".." || strings.HasPrefix(name, "../") || strings.Contains(name, `\`):
		return "its path must be relative and clean, with slashes"
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return "its path contains characters that are not text"
	}
	parts := strings.Split(name, "/")
	if slices.ContainsFunc(parts, func(part string) bool { return part[0] == '.' || strings.TrimSpace(part) != part }) {
		return "a part of its path begins with a dot, or begins or ends with a space"
	}
	if !strings.HasSuffix(name, ".sol") {
		return "only .sol files are accepted: proctor supplies the project's configuration, remappings and dependencies, because they decide what forge may do on this machine"
	}
	if len(parts) < 2 || !slices.Contains(sourceDirs(), parts[0]) {
		return "sources belong below " + strings.Join(sourceDirs(), "/, ") + "/, in this spelling: put tests below test/"
	}
	return ""
}

func invalidSources(format string, values ...any) error {
	return &sdk.Error{Reason: sdk.InvalidSources, Message: fmt.Sprintf(format, values...)}
}

// dependencyReport reports what the suites of a listing are built from. The listing has
// compiled the project, so the compiler's index is current. A nil dependencyReport
// reports nothing.
type dependencyReport struct {
	ws       sdk.Workspace
	settings settings.Settings

	composition *composition.Composition
	failed      string
}

// readIndex reads the compiler's index, and reports the parts.
func (d *dependencyReport) readIndex(ctx context.Context, sink sdk.ListSink) {
	if d == nil {
		return
	}
	c, err := composition.Read(ctx, compositionConfig(d.ws, d.settings))
	if err != nil {
		d.failed = "cannot read the compiler's index: " + err.Error()
		return
	}
	d.composition = c
	for _, part := range c.Parts(ctx) {
		sink.Part(part)
	}
}

// compositionConfig says where a project is and how it is compiled.
func compositionConfig(ws sdk.Workspace, s settings.Settings) composition.Config {
	return composition.Config{
		Artifacts:    s.Artifacts(ws.Root),
		Folders:      []string{s.Src, s.Test, s.Script},
		Remappings:   s.Remappings,
		IncludePaths: s.IncludePaths,
		Compiler:     s.Solc,
		Opaque:       explainOpaque(s),
		Home:         ws.Env["HOME"],
	}
}

// explainOpaque says which settings make every suite opaque.
func explainOpaque(s settings.Settings) string {
	switch {
	case !s.Known:
		return "the configuration of forge is unknown"
	case s.Forks:
		return "it runs on the state of a chain"
	}
	return ""
}

// suiteNeeds returns what one suite is built from, and why it may depend on more.
func (d *dependencyReport) suiteNeeds(ctx context.Context, suite string) (needs []string, opaque string) {
	switch {
	case d == nil:
		return nil, ""
	case d.failed != "":
		return nil, d.failed
	}
	return d.composition.Suite(ctx, suite)
}
