package solidity

// names indexes what can be looked up in a file. The first declaration of a name
// counts.
type names struct {
	contracts map[string]int
	types     map[string]*Type
	constants map[string]string
	// modules are the imports that have an alias, symbols the imports of single names,
	// and whole all others.
	modules map[string]string
	symbols map[string][]symbol
	whole   []string
}

// symbol is a name in an imported source.
type symbol struct{ path, name string }

// members indexes what can be looked up in a contract.
type members struct {
	functions map[string][]*Function
	getters   map[string][]*Variable
	types     map[string]*Type
	constants map[string]string
}

// index builds the lookup tables of a completely parsed file.
func (f *File) index() {
	f.names = names{
		contracts: make(map[string]int, len(f.Contracts)), types: typesByName(f.Types), constants: constantValues(f.Constants),
		modules: map[string]string{}, symbols: map[string][]symbol{},
	}
	for i := range f.Contracts {
		c := &f.Contracts[i]
		if _, known := f.names.contracts[c.Name]; !known {
			f.names.contracts[c.Name] = i
		}
		c.index()
	}
	for _, imp := range f.Imports {
		if _, known := f.names.modules[imp.Alias]; imp.Alias != "" && !known {
			f.names.modules[imp.Alias] = imp.Path
		}
		for _, s := range imp.Symbols {
			f.names.symbols[s.Alias] = append(f.names.symbols[s.Alias], symbol{imp.Path, s.Name})
		}
		if imp.Alias == "" && imp.Symbols == nil {
			f.names.whole = append(f.names.whole, imp.Path)
		}
	}
}

func (c *Contract) index() {
	c.members = members{
		functions: make(map[string][]*Function, len(c.Functions)), getters: map[string][]*Variable{},
		types: typesByName(c.Types), constants: constantValues(c.Variables),
	}
	for i := range c.Functions {
		f := &c.Functions[i]
		c.members.functions[f.Name] = append(c.members.functions[f.Name], f)
	}
	for i := range c.Variables {
		if v := &c.Variables[i]; v.Public {
			c.members.getters[v.Name] = append(c.members.getters[v.Name], v)
		}
	}
}

func typesByName(types []Type) map[string]*Type {
	named := make(map[string]*Type, len(types))
	for i := range types {
		if _, known := named[types[i].Name]; !known {
			named[types[i].Name] = &types[i]
		}
	}
	return named
}

// constantValues returns the values of the constants that are a single number.
func constantValues(variables []Variable) map[string]string {
	values := map[string]string{}
	for _, v := range variables {
		if _, known := values[v.Name]; v.Value != "" && !known {
			values[v.Name] = v.Value
		}
	}
	return values
}
