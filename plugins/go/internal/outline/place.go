package outline

import (
	"go/ast"
	"path"
	"slices"
	"strconv"
)

// positionNames are names by which code inspects its own position: flags of package log,
// options of slog, zap, logrus and zerolog. Anything with such a name counts.
var positionNames = [...]string{
	"Lshortfile", "Llongfile", "AddSource", "AddCaller", "WithCaller", "AddCallerSkip", "SetReportCaller", "ReportCaller",
	"CallerMarshalFunc", "CallerWithSkipFrame", "IncludeLocation", "CallersFrames", "FuncForPC", "PrintStack",
}

// runtimeNames are names in packages runtime and runtime/debug that are ordinary words.
var runtimeNames = [...]string{"Caller", "Callers", "Stack", "SetTraceback"}

// places recognizes code that inspects its own position.
type places struct {
	// runtimes are the names under which runtime and runtime/debug are imported.
	runtimes []string
	// dot reports whether one of them is imported without a name.
	dot bool
}

func placesOf(f *ast.File) places {
	var p places
	for _, spec := range f.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		if imported != "runtime" && imported != "runtime/debug" {
			continue
		}
		switch {
		case spec.Name == nil:
			p.runtimes = append(p.runtimes, path.Base(imported))
		case spec.Name.Name == ".":
			p.dot = true
		default:
			p.runtimes = append(p.runtimes, spec.Name.Name)
		}
	}
	return p
}

// in reports whether a syntax tree has such code.
func (p places) in(node ast.Node) bool {
	found := false
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			found = found || slices.Contains(positionNames[:], n.Name) || p.dot && slices.Contains(runtimeNames[:], n.Name)
		case *ast.SelectorExpr:
			x, plain := n.X.(*ast.Ident)
			found = found || plain && slices.Contains(p.runtimes, x.Name) && slices.Contains(runtimeNames[:], n.Sel.Name)
		case *ast.CallExpr:
			// The Caller() of a zerolog event, whatever its receiver.
			s, selector := n.Fun.(*ast.SelectorExpr)
			found = found || selector && s.Sel.Name == "Caller" && len(n.Args) == 0
		}
		return !found
	})
	return found
}
