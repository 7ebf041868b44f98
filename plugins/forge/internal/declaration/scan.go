package declaration

import (
	"github.com/proctorhq/proctor/plugins/forge/internal/selection"
	"github.com/proctorhq/proctor/plugins/forge/internal/solidity"
	"github.com/proctorhq/proctor/sdk"
)

// scanDeclaration finds a declaration in the sources: in the contract, then in its bases.
func (s *state) scanDeclaration(suite, signature string) (sdk.Location, bool) {
	path, name, ok := selection.Split(suite)
	if !ok {
		return sdk.Location{}, false
	}
	contract := solidity.Ref{Path: path, Name: name}
	c, ok := s.program.Contract(contract)
	if !ok {
		return sdk.Location{}, false
	}
	if signature == "" {
		return s.locate(solidity.Declaration{Ref: contract, Offset: c.Offset})
	}
	d, ok := s.program.Declaration(contract, signature)
	if !ok {
		return sdk.Location{}, false
	}
	return s.locate(d)
}

func (s *state) locate(d solidity.Declaration) (sdk.Location, bool) {
	source, ok := s.sources.get(d.Ref.Path)
	if !ok || d.Offset > len(source.text) {
		return sdk.Location{}, false
	}
	return s.location(d.Ref.Path, source, d.Offset), true
}
