package artifact

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Config says where a project's files are.
type Config struct {
	// Root is the absolute path of the project's folder.
	Root string
	// Out and CachePath are relative to Root or absolute; "" means forge's defaults,
	// "out" and "cache".
	Out, CachePath string
	// Libs are the folders of dependencies; nil means forge's defaults, "lib" and
	// "node_modules".
	Libs []string
}

// Project is a compiled project. It is safe for concurrent use.
type Project struct {
	root, out string
	libs      []string
	buildInfo string // folder, relative to root
	files     map[string]*indexFile
	recorded  map[string]bool
	indexed   bool
	// written is when the index was written.
	written time.Time

	spent atomic.Int64 // bytes read

	mu     sync.Mutex
	builds map[string]map[int]string
}

// ErrNotCompiled reports that there is no artifact of a contract.
var ErrNotCompiled = errors.New("no artifact: compile the project with `forge build`")

// Open reads the index. Without one it still opens the project, and finds contracts in
// out/ by name.
func Open(ctx context.Context, cfg Config) (*Project, error) {
	if !filepath.IsAbs(cfg.Root) {
		return nil, fmt.Errorf("artifact: the project's folder %q is not absolute", cfg.Root)
	}
	p := &Project{
		root:      filepath.Clean(cfg.Root),
		out:       absolutePath(cfg.Root, cfg.Out, "out"),
		libs:      cfg.Libs,
		buildInfo: "build-info",
		builds:    map[string]map[int]string{},
	}
	if p.libs == nil {
		p.libs = []string{"lib", "node_modules"}
	}
	const index = "solidity-files-cache.json"
	dir := absolutePath(cfg.Root, cfg.CachePath, "cache")
	if info, err := os.Stat(filepath.Join(dir, index)); err == nil {
		p.written = info.ModTime()
	}
	data, err := p.read(ctx, dir, index, maxIndex)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, fmt.Errorf("artifact: the index of compiled files: %w", err)
	default:
		p.files, p.indexed = parseIndex(data, p.root)
	}
	p.recordSources()
	return p, ctx.Err()
}

// recordSources notes which sources the compiler has read, so that those outside of the root
// may be read, too.
func (p *Project) recordSources() {
	p.recorded = make(map[string]bool, len(p.files))
	for path := range p.files {
		p.recorded[path] = true
	}
}

// read reads a file of the project, up to a total.
func (p *Project) read(ctx context.Context, dir, name string, limit int64) ([]byte, error) {
	if p.spent.Load() > maxTotal {
		return nil, fmt.Errorf("more than %d bytes of this project were read already", int64(maxTotal))
	}
	data, err := readIn(ctx, dir, name, limit)
	p.spent.Add(int64(len(data)))
	return data, err
}

// HasIndex reports whether there was a readable index.
func (p *Project) HasIndex() bool { return p.indexed }

// Contracts returns the compiled contracts of a source, by name.
func (p *Project) Contracts(source string) []string {
	f := p.files[source]
	if f == nil {
		return nil
	}
	names := make([]string, 0, len(f.artifacts))
	for name := range f.artifacts {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Files returns the sources of the index, in order.
func (p *Project) Files() []string {
	paths := make([]string, 0, len(p.files))
	for path := range p.files {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	return paths
}

// Imports returns the sources that a source imports, as resolved by the compiler.
func (p *Project) Imports(source string) []string {
	if f := p.files[source]; f != nil {
		return f.imports
	}
	return nil
}

// IsLibrary reports whether a source belongs to a dependency, whose tests forge does
// not run.
func (p *Project) IsLibrary(source string) bool {
	for _, lib := range p.libs {
		lib = relativeTo(p.root, lib)
		if source == lib || strings.HasPrefix(source, strings.TrimSuffix(lib, "/")+"/") {
			return true
		}
	}
	return false
}

// Methods returns the selectors of a contract by signature, as in [Contract.MethodIDs],
// at a fraction of the cost of the whole contract. They are only known for contracts in
// the index.
func (p *Project) Methods(ctx context.Context, source, name string) (methods map[string]string, err error) {
	at, ok := p.indexedAt(source, name)
	if !ok {
		return nil, fmt.Errorf("%s:%s: %w", source, name, ErrNotCompiled)
	}
	data, err := p.read(ctx, p.out, at.path, maxArtifact)
	if err != nil {
		return nil, fmt.Errorf("artifact of %s:%s: %w", source, name, err)
	}
	text, _ := findField(data, "methodIdentifiers")
	return methods, json.Unmarshal(text, &methods)
}

func (p *Project) indexedAt(source, name string) (location, bool) {
	f := p.files[source]
	if f == nil {
		return location{}, false
	}
	at, ok := f.artifacts[name]
	return at, ok
}

// Contract reads the artifact of a contract. The error is [ErrNotCompiled] if there is
// none.
func (p *Project) Contract(ctx context.Context, source, name string) (*Contract, error) {
	for _, at := range p.candidateLocations(source, name) {
		data, err := p.read(ctx, p.out, at.path, maxArtifact)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("artifact of %s:%s: %w", source, name, err)
		}
		c, err := parseContract(data, source, name)
		if err != nil {
			return nil, fmt.Errorf("artifact of %s:%s in %s: %w", source, name, at.path, err)
		}
		if !p.indexed && !isOf(data, source) {
			continue // a contract with the same name
		}
		c.Sources = p.sourceNumbering(ctx, at.build)
		if c.Sources == nil {
			c.Sources = map[int]string{}
			if c.id >= 0 {
				c.Sources[c.id] = source
			}
		}
		return c, nil
	}
	return nil, fmt.Errorf("%s:%s: %w", source, name, ErrNotCompiled)
}

// candidateLocations returns where the artifact may be: according to the index, or else by forge's
// naming: out/<file>/<contract>.json, and for a second file of the same name preceded
// by one or more folders of its path.
func (p *Project) candidateLocations(source, name string) []location {
	if p.indexed {
		if at, ok := p.indexedAt(source, name); ok {
			return []location{at}
		}
		return nil
	}
	var places []location
	for i := len(source); i > 0; {
		i = strings.LastIndexByte(source[:i], '/')
		places = append(places, location{path: source[i+1:] + "/" + name + ".json"})
	}
	return places
}

// Libs returns the folders of dependencies.
func (p *Project) Libs() []string { return p.libs }
