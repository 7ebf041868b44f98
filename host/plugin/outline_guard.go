package plugin

import (
	"fmt"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
)

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
	defer g.watch.dealtWith()
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
	if distinct(f.Units) {
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

// distinct reports whether units have distinct names.
func distinct(units []sdk.SourceUnit) bool {
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
