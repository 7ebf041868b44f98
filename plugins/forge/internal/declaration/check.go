package declaration

import (
	"github.com/proctorhq/proctor/plugins/forge/internal/artifact"
	"github.com/proctorhq/proctor/plugins/forge/internal/solidity"
	"github.com/proctorhq/proctor/sdk"
)

// checkDeclaration returns the place of a range if the function or public variable with that
// signature stands there. If the source was edited since it was compiled, even matching
// text proves nothing.
func (s *state) checkDeclaration(path string, span artifact.Span, signature string) (sdk.Location, bool) {
	name, params, ok := solidity.SplitSignature(signature)
	if !ok || span.Start < 0 || span.Length <= 0 {
		return sdk.Location{}, false
	}
	if s.project.HasIndex() && !s.isFresh(path) {
		return sdk.Location{}, false
	}
	source, ok := s.sources.get(path)
	if !ok || span.Start+span.Length > len(source.text) {
		return sdk.Location{}, false
	}
	stop := span.Start + span.Length
	written, ok := []string(nil), false
	if f, isFunction := solidity.FunctionAt(source.text[:stop], span.Start); isFunction {
		written, ok = f.Params, f.Name == name
	} else if v, isVariable := solidity.VariableAt(source.text, span.Start, stop); isVariable {
		written, ok = v.Getter, v.Name == name && v.Public
	}
	if !ok || len(written) != len(params) {
		return sdk.Location{}, false
	}
	if len(params) > 0 && !s.program.Agrees(s.scope(path, span.Start), written, params) {
		return sdk.Location{}, false
	}
	return s.location(path, source, span.Start), true
}

// scope returns the contract that contains a place.
func (s *state) scope(path string, offset int) solidity.Ref {
	f, ok := s.sources.parsed(path)
	if !ok {
		return solidity.Ref{Path: path}
	}
	return solidity.Ref{Path: path, Name: f.At(offset)}
}
