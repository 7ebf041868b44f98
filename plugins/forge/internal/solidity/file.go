package solidity

// File is what a source declares.
type File struct {
	Imports   []Import
	Contracts []Contract
	Types     []Type
	// Constants are the constants declared outside of contracts.
	Constants []Variable
	// Pragmas are the texts between "pragma" and the semicolon, comments included.
	Pragmas []string

	names names
}

// Bounds of what is kept of a source, far above what people write.
const (
	maxContracts = 5_000
	maxMembers   = 20_000 // of each kind in a contract
	maxBases     = 100
)

// Import is one import directive.
type Import struct {
	Path string
	// Alias is set for `import "x" as Alias` and `import * as Alias from "x"`.
	Alias string
	// Symbols is set for `import {Name as Alias} from "x"`. An import with neither Alias
	// nor Symbols imports everything.
	Symbols []Symbol
}

// Symbol is one imported name. Alias equals Name if none is given.
type Symbol struct{ Name, Alias string }

// Contract is a contract, an interface or a library. Offsets are in bytes.
type Contract struct {
	Name     string
	Kind     string // "contract", "interface" or "library"
	Abstract bool
	// Offset is where the declaration begins.
	Offset int
	// Bases are the names after `is`, as written, dots included.
	Bases     []string
	Functions []Function
	Variables []Variable
	Types     []Type

	members members
}

// Function is a named function, or the constructor, whose name is "constructor".
type Function struct {
	Name   string
	Offset int
	// Params are the types as written, without spaces and data locations:
	// "uint", "address", "Lib.Point[3][]", "function".
	Params []string
	// Visibility is "" if none is written.
	Visibility string
	// Implemented reports whether it has a body.
	Implemented bool
	// Pure reports whether it is declared pure or view.
	Pure bool
}

// Variable is a state variable. A public one has a getter, which forge may run as a
// test.
type Variable struct {
	Name   string
	Offset int
	Public bool
	// Getter holds the types of the getter's parameters, as written.
	Getter []string
	// Value is the number that a constant is set to, as written, or "" if it is anything
	// else.
	Value string
}

// Type is a user-defined type.
type Type struct {
	Name string
	Kind TypeKind
	// Of holds the types of a struct's fields, or the underlying type of a user-defined
	// value type.
	Of []string
}

// TypeKind is the kind of a user-defined type.
type TypeKind byte

// The kinds of user-defined types.
const (
	Struct TypeKind = iota + 1
	Enum
	Value
)

// isCallable reports whether the function is part of the contract's interface. Without a
// visibility it is: in old versions public is the default.
func (f Function) isCallable() bool {
	return f.Name != "constructor" && (f.Visibility == "" || f.Visibility == "public" || f.Visibility == "external")
}

// Contract returns the contract with that name.
func (f *File) Contract(name string) (*Contract, bool) {
	i, ok := f.names.contracts[name]
	if !ok {
		return nil, false
	}
	return &f.Contracts[i], true
}

// At returns the name of the contract that a place in the file belongs to, or "" before
// the first one.
func (f *File) At(offset int) string {
	name := ""
	for _, c := range f.Contracts {
		if c.Offset > offset {
			break
		}
		name = c.Name
	}
	return name
}
