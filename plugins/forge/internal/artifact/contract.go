package artifact

import (
	"encoding/json"
	"errors"
	"strings"
)

// Contract is the compiler's output for one contract.
type Contract struct {
	Source, Name string
	// Runtime is the deployed code, with zeros where library addresses are linked in
	// later.
	Runtime []byte
	// SourceMap has one span for each instruction of Runtime.
	SourceMap []Span
	// MethodIDs are the selectors as 8 hexadecimal digits, by signature.
	MethodIDs map[string]string
	// Functions are the functions of the ABI. For a library the compiler lists only
	// those that change no state, and forge follows this list.
	Functions []Function
	// Deployable reports whether it has creation code and its constructor, if any,
	// takes no arguments. Forge runs no tests of other contracts.
	Deployable bool
	// Sources are the paths of the sources by their numbers in SourceMap, relative to
	// the root if below it.
	Sources map[int]string

	starts []int32 // of each instruction in Runtime
	id     int
}

// Function is one function of an ABI.
type Function struct {
	Name, Signature string
}

func parseContract(data []byte, source, name string) (*Contract, error) {
	c := &Contract{Source: source, Name: name, id: -1}
	var err error
	if c.Runtime, err = parseCode(textOf(data, "deployedBytecode", "object")); err != nil {
		return nil, err
	}
	c.starts = instructionStarts(c.Runtime)
	c.SourceMap = parseSourceMap(textOf(data, "deployedBytecode", "sourceMap"), len(c.starts))
	if text, ok := findField(data, "methodIdentifiers"); ok {
		if err := json.Unmarshal(text, &c.MethodIDs); err != nil {
			return nil, err
		}
	}
	text, ok := findField(data, "abi")
	if !ok {
		return nil, errors.New("it has no abi")
	}
	arguments, err := c.parseABI(text)
	if err != nil {
		return nil, err
	}
	creation := textOf(data, "bytecode", "object")
	c.Deployable = arguments == 0 && creation != "" && creation != "0x"
	if text, ok := findField(data, "id"); ok && json.Unmarshal(text, &c.id) != nil {
		c.id = -1
	}
	return c, nil
}

// parameter is a parameter of the ABI.
type parameter struct {
	Type       string      `json:"type"`
	Components []parameter `json:"components"`
}

func (p parameter) canonical() string {
	suffix, tuple := strings.CutPrefix(p.Type, "tuple")
	if !tuple {
		return p.Type
	}
	return "(" + canonicalList(p.Components) + ")" + suffix
}

func canonicalList(params []parameter) string {
	types := make([]string, len(params))
	for i, p := range params {
		types[i] = p.canonical()
	}
	return strings.Join(types, ",")
}

// parseABI reads the functions, and returns the number of the constructor's parameters.
func (c *Contract) parseABI(text []byte) (arguments int, err error) {
	var entries []struct {
		Type   string      `json:"type"`
		Name   string      `json:"name"`
		Inputs []parameter `json:"inputs"`
	}
	if err := json.Unmarshal(text, &entries); err != nil {
		return 0, err
	}
	for _, e := range entries {
		switch e.Type {
		case "constructor":
			arguments = len(e.Inputs)
		case "function":
			c.Functions = append(c.Functions, Function{Name: e.Name, Signature: e.Name + "(" + canonicalList(e.Inputs) + ")"})
		}
	}
	return arguments, nil
}

// isOf reports whether an artifact's metadata names the source. Forge writes the
// metadata as an object and, since 2023, also as the compiler's own text.
func isOf(data []byte, source string) bool {
	text, ok := findField(data, "metadata")
	if !ok || len(text) == 0 || text[0] != '{' {
		text = []byte(textOf(data, "rawMetadata"))
	}
	target, _ := findField(text, "settings", "compilationTarget")
	var names map[string]string
	_ = json.Unmarshal(target, &names)
	_, named := names[source]
	return named
}
