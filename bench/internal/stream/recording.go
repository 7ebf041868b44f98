package stream

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// module is the path of the recorded module. Every copy of a package gets a module of
// its own.
const module = "shop.example/shop"

// Recording is a recorded output, package by package.
type Recording struct {
	packages map[string]*recorded
	names    []string // of packages, in recorded order
}

// recorded is the output of one package.
type recorded struct {
	lines []line
	count Count
}

// line is one event, with what the generator needs to know about it.
type line struct {
	text   []byte
	action string
	test   string
}

// event is a line as encoding/json decodes it.
type event struct {
	Action, Package, Test, ImportPath, Output string
}

// Read reads a recorded output.
func Read(data []byte) (*Recording, error) {
	r := &Recording{packages: map[string]*recorded{}}
	n := 0
	for text := range bytes.Lines(data) {
		n++
		var ev event
		if err := json.Unmarshal(text, &ev); err != nil {
			return nil, fmt.Errorf("line %d of the recording is not an event: %w", n, err)
		}
		name, _, _ := strings.Cut(ev.Package+ev.ImportPath, " ")
		name = strings.TrimPrefix(name, module+"/")
		p := r.packages[name]
		if p == nil {
			p = &recorded{}
			r.packages[name] = p
			r.names = append(r.names, name)
		}
		p.lines = append(p.lines, line{text: text, action: ev.Action, test: ev.Test})
	}
	for _, p := range r.packages {
		p.count = countLines(p.lines)
	}
	return r, nil
}

// part returns the lines that keep selects.
func (p *recorded) part(keep func(line) bool) []line {
	var lines []line
	for _, l := range p.lines {
		if keep(l) {
			lines = append(lines, l)
		}
	}
	return lines
}

func (r *Recording) find(name string) (*recorded, error) {
	p := r.packages[name]
	if p == nil {
		return nil, fmt.Errorf("the recording has no package %s; record it again with bench/testdata/record.sh", name)
	}
	return p, nil
}
