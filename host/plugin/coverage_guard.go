package plugin

import (
	"context"
	"fmt"
	"math/bits"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
)

// coverageGuard is the eventGuard of measurements.
type coverageGuard struct {
	*reception
	sink sdk.CoverageSink
	// seen are the suites reported so far.
	seen map[string]bool
}

var (
	_ sdk.CoverageSink = coverageGuard{}
	_ client.Witness   = coverageGuard{}
)

func (g coverageGuard) Suite(c sdk.SuiteCoverage) {
	if !g.admit() {
		return
	}
	defer g.watch.handled()
	v := checkCoverage(c)
	if v == nil && g.seen[c.Suite] {
		v = violates("suite", "%s was reported twice", cleanLine(c.Suite, 64))
	}
	if v != nil {
		g.violated(v)
		return
	}
	g.seen[c.Suite] = true
	g.sink.Suite(boundCoverage(c))
}

func (g coverageGuard) Error(text string) {
	if !g.admit() {
		return
	}
	defer g.watch.handled()
	g.sink.Error(boundText(text, sdk.MaxText))
}

// checkCoverage validates a suite's measurement: every number must be meaningful within
// it.
func checkCoverage(c sdk.SuiteCoverage) *violation {
	if c.Suite == "" {
		return violates("suite", "it has no name")
	}
	blocks := 0
	for i, f := range c.Files {
		if f.File == "" {
			return violates(fmt.Sprintf("files[%d].file", i), "it has no name")
		}
		for j, b := range f.Blocks {
			if !isOrdered(b) {
				return violates(fmt.Sprintf("files[%d].blocks[%d]", i, j), "it begins at %d:%d and ends at %d:%d",
					b.StartLine, b.StartColumn, b.EndLine, b.EndColumn)
			}
		}
		blocks += len(f.Blocks)
	}
	if blocks > sdk.MaxBlocks {
		return violates("files", "there are %d blocks; the limit is %d", blocks, sdk.MaxBlocks)
	}
	if v := checkSet("whole", c.Whole, blocks); v != nil {
		return v
	}
	if v := checkSet("start_up", c.StartUp, blocks); v != nil {
		return v
	}
	return checkCovered(c.Tests, blocks)
}

func isOrdered(b sdk.Block) bool {
	return b.StartLine >= 1 && b.StartColumn >= 0 && b.EndColumn >= 0 &&
		(b.EndLine > b.StartLine || b.EndLine == b.StartLine && b.EndColumn >= b.StartColumn)
}

func checkCovered(tests []sdk.TestCoverage, blocks int) *violation {
	seen := make(map[string]bool, len(tests))
	for i, t := range tests {
		field := fmt.Sprintf("tests[%d].", i)
		switch {
		case t.Name == "":
			return violates(field+"name", "it has none")
		case seen[t.Name]:
			return violates(field+"name", "%s appears twice", cleanLine(t.Name, 64))
		}
		seen[t.Name] = true
		if v := checkSet(field+"blocks", t.Blocks, blocks); v != nil {
			return v
		}
		for j, read := range t.Reads {
			if read == "" || !isLocalPath(read) {
				return violates(fmt.Sprintf("%sreads[%d]", field, j), "%q leaves the workspace", cleanLine(read, 256))
			}
		}
	}
	return nil
}

// checkSet validates a set of blocks.
func checkSet(field string, set sdk.BlockSet, blocks int) *violation {
	if len(set) > (blocks+7)/8 {
		return violates(field, "it has %d bytes for %d blocks", len(set), blocks)
	}
	if n := len(set); n > 0 {
		if last := 8*(n-1) + bits.Len8(set[n-1]) - 1; last >= blocks {
			return violates(field, "block %d is in it, and there are %d", last, blocks)
		}
	}
	return nil
}

func boundCoverage(c sdk.SuiteCoverage) sdk.SuiteCoverage {
	c.Suite, c.Why = boundName(c.Suite), boundText(c.Why, sdk.MaxText)
	for i := range c.Files {
		c.Files[i].File = boundName(c.Files[i].File)
	}
	for i, t := range c.Tests {
		c.Tests[i].Name, c.Tests[i].Opaque, c.Tests[i].Partial = boundName(t.Name), boundText(t.Opaque, sdk.MaxText), boundText(t.Partial, sdk.MaxText)
		c.Tests[i].Reads = boundNames(t.Reads)
	}
	return c
}

// IndexCmd asks for the commands that find out which lines each test executes. If the
// plugin cannot, the error is an [*UnsupportedError].
func (p *Plugin) IndexCmd(ctx context.Context, req sdk.IndexRequest) (sdk.Plan, error) {
	if !p.identity.Index {
		return sdk.Plan{}, p.unsupported("IndexCmd")
	}
	plan, err := ask(ctx, p, "IndexCmd", func(ctx context.Context, d *client.Detector) (sdk.Plan, error) {
		return d.IndexCmd(ctx, req)
	}, planCheck(allowed{covers: true}))
	return boundPlan(plan), err
}

// ParseCoverage has the plugin read the files that a command left. The sink is called
// from this goroutine. Suites reported before an error count; a crash ends the call,
// without a retry. If the plugin cannot, the error is an [*UnsupportedError].
func (p *Plugin) ParseCoverage(ctx context.Context, req sdk.CoverageRequest, sink sdk.CoverageSink) error {
	if !p.identity.Cover && !p.identity.Index {
		return p.unsupported("ParseCoverage")
	}
	return p.receive(ctx, "ParseCoverage", func(ctx context.Context, d *client.Detector, r *reception) error {
		return d.ParseCoverage(ctx, req, coverageGuard{sink: sink, reception: r, seen: map[string]bool{}})
	})
}

// Outline asks for the declarations of source files. The sink is called from this
// goroutine. Files reported before an error count; a crash ends the call, without a
// retry. A file with two units of one name is not reported: a change of one of them
// could be missed. If the plugin cannot, the error is an [*UnsupportedError].
func (p *Plugin) Outline(ctx context.Context, req sdk.OutlineRequest, sink sdk.OutlineSink) error {
	if !p.identity.Outline {
		return p.unsupported("Outline")
	}
	asked := make(map[string]bool, len(req.Files))
	for _, f := range req.Files {
		asked[f] = true
	}
	return p.receive(ctx, "Outline", func(ctx context.Context, d *client.Detector, r *reception) error {
		return d.Outline(ctx, req, outlineGuard{sink: sink, reception: r, left: asked})
	})
}

// outlineGuard is the eventGuard of outlines.
type outlineGuard struct {
	*reception
	sink sdk.OutlineSink
	// left are the requested files not yet reported.
	left map[string]bool
}

var (
	_ sdk.OutlineSink = outlineGuard{}
	_ client.Witness  = outlineGuard{}
)

func (g outlineGuard) File(f sdk.OutlinedFile) {
	if !g.admit() {
		return
	}
	defer g.watch.handled()
	v := checkOutline(f)
	if !g.left[f.File] {
		v = violates("file", "%s was reported twice or not asked for", cleanLine(f.File, 256))
	}
	if v != nil {
		g.violated(v)
		return
	}
	delete(g.left, f.File)
	for i, u := range f.Units {
		f.Units[i].Name, f.Units[i].Digest, f.Units[i].Test = boundName(u.Name), boundName(u.Digest), boundName(u.Test)
	}
	if areDistinct(f.Units) {
		g.sink.File(f)
	}
}

// checkOutline validates the units of a file.
func checkOutline(f sdk.OutlinedFile) *violation {
	for i, u := range f.Units {
		field := fmt.Sprintf("units[%d].", i)
		switch {
		case u.StartLine < 1 || u.EndLine < u.StartLine:
			return violates(field+"start_line", "%s begins on line %d and ends on line %d", cleanLine(u.Name, 64), u.StartLine, u.EndLine)
		case u.Digest == "":
			return violates(field+"digest", "%s has none, and so would never change", cleanLine(u.Name, 64))
		case u.Kind == sdk.UnitTest && u.Test == "":
			return violates(field+"test", "%s declares a test without a name", cleanLine(u.Name, 64))
		}
	}
	return nil
}

// areDistinct reports whether units have distinct names.
func areDistinct(units []sdk.SourceUnit) bool {
	type key struct {
		kind sdk.UnitKind
		name string
	}
	seen := make(map[key]bool, len(units))
	for _, u := range units {
		k := key{u.Kind, u.Name}
		if seen[k] {
			return false
		}
		seen[k] = true
	}
	return true
}
