package artifact

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
)

// sourceNumbering returns the numbering of one build, nil if unknown. The file may hold the
// whole input and output of the compiler; only the numbering at its beginning is read.
func (p *Project) sourceNumbering(ctx context.Context, build string) map[int]string {
	if build == "" || strings.ContainsAny(build, `/\`) {
		return nil
	}
	p.mu.Lock()
	known, ok := p.builds[build]
	p.mu.Unlock()
	if ok {
		return known
	}
	data, err := p.read(ctx, filepath.Join(p.out, p.buildInfo), build+".json", maxBuildInfo)
	if ctx.Err() != nil {
		return nil
	}
	if err == nil {
		known = parseNumbering(data, p.root)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.builds) >= maxBuilds {
		clear(p.builds)
	}
	p.builds[build] = known
	for _, path := range known {
		p.recorded[path] = true
	}
	return known
}

func parseNumbering(data []byte, root string) map[int]string {
	text, _ := findField(data, "source_id_to_path")
	var raw map[string]string
	if json.Unmarshal(text, &raw) != nil {
		return nil
	}
	sources := make(map[int]string, len(raw))
	for number, path := range raw {
		if n, err := strconv.Atoi(number); err == nil {
			sources[n] = relativeTo(root, path)
		}
	}
	return sources
}
