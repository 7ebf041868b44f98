package artifact

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
)

// Creation is the code that creates a contract. It contains the code of the contract,
// and of all contracts that it can create by type.
type Creation struct {
	Code []byte
	// Libraries are those that the code is linked with but does not contain.
	Libraries []Library
}

// Library is a separately deployed library.
type Library struct{ Source, Name string }

// Creations returns the compiler's outputs for a contract: one for each version of it
// and each of its profiles. The error is [ErrNotCompiled] if there is none.
func (p *Project) Creations(ctx context.Context, source, name string) ([]Creation, error) {
	f := p.files[source]
	if f == nil || len(f.every[name]) == 0 {
		return nil, fmt.Errorf("%s:%s: %w", source, name, ErrNotCompiled)
	}
	var creations []Creation
	for _, at := range f.every[name] {
		data, err := p.read(ctx, p.out, at.path, maxArtifact)
		if err != nil {
			return nil, fmt.Errorf("artifact of %s:%s: %w", source, name, err)
		}
		c, err := p.parseCreation(data)
		if err != nil {
			return nil, fmt.Errorf("artifact of %s:%s in %s: %w", source, name, at.path, err)
		}
		creations = append(creations, c)
	}
	return creations, nil
}

func (p *Project) parseCreation(data []byte) (Creation, error) {
	code, err := parseCode(textOf(data, "bytecode", "object"))
	if err != nil {
		return Creation{}, err
	}
	if len(code) == 0 {
		return Creation{}, errors.New("it has no code")
	}
	c := Creation{Code: code}
	// Libraries linked only with the deployed code count, too.
	for _, part := range []string{"bytecode", "deployedBytecode"} {
		text, ok := findField(data, part, "linkReferences")
		if !ok {
			continue
		}
		var references map[string]map[string]json.RawMessage
		if err := json.Unmarshal(text, &references); err != nil {
			return Creation{}, err
		}
		for source, names := range references {
			for name := range names {
				if l := (Library{Source: relativeTo(p.root, source), Name: name}); !slices.Contains(c.Libraries, l) {
					c.Libraries = append(c.Libraries, l)
				}
			}
		}
	}
	return c, nil
}

// HasSource reports whether the index has a source.
func (p *Project) HasSource(source string) bool { return p.files[source] != nil }

// IsCurrent reports whether the index describes a source as it is now: the compiler has
// seen it, or the index was written after it, in which case forge compares contents.
func (p *Project) IsCurrent(ctx context.Context, path string) bool {
	if p.files[path] == nil {
		return false
	}
	info, err := os.Stat(absolutePath(p.root, path, ""))
	if err != nil {
		return false
	}
	return info.ModTime().Before(p.written) || p.IsFresh(ctx, path)
}
