package arguments

import (
	"fmt"
	"slices"
	"strings"
)

// Arguments are the arguments of cargo test, by what they affect.
type Arguments struct {
	Packages  []string // of -p
	Exclude   []string
	Workspace bool
	Targets   []Target
	Features  []string
	// AllFeatures and NoDefaultFeatures are the flags of these names.
	AllFeatures, NoDefaultFeatures bool
	// Cargo are other arguments for cargo itself.
	Cargo []string
	// Filters select tests by name, such as --skip and bare names.
	Filters []string
	// Libtest are other arguments for the test binary.
	Libtest []string
}

// Target is a flag that selects targets. Name is empty if the flag takes none.
type Target struct{ Flag, Name string }

// RefusedError reports an argument that the plugin cannot handle.
type RefusedError struct{ Argument, Why string }

func (e *RefusedError) Error() string {
	return fmt.Sprintf("proctor cannot run cargo test with %s: %s; leave it out", e.Argument, e.Why)
}

// Parse parses arguments; those of the test binary follow "--".
func Parse(args []string) (Arguments, error) {
	var a Arguments
	before, after := args, []string(nil)
	if i := slices.Index(args, "--"); i >= 0 {
		before, after = args[:i], args[i+1:]
	}
	if err := a.parseCargo(before); err != nil {
		return Arguments{}, err
	}
	return a, a.parseLibtest(after)
}

func (a *Arguments) parseCargo(args []string) error {
	for len(args) > 0 {
		name, value, used := splitFlag(args, cargoTakesValue)
		whole := args[:used]
		args = args[used:]
		if why, ok := cargoRefused[name]; ok {
			return &RefusedError{Argument: name, Why: why}
		}
		switch name {
		case "-p", "--package":
			a.Packages = append(a.Packages, value)
		case "--exclude":
			a.Exclude = append(a.Exclude, value)
		case "--workspace", "--all":
			a.Workspace = true
		case "--lib", "--bins", "--tests", "--examples", "--benches", "--all-targets", "--doc":
			a.Targets = append(a.Targets, Target{Flag: name})
		case "--bin", "--test", "--example", "--bench":
			a.Targets = append(a.Targets, Target{Flag: name, Name: value})
		case "": // a name, which cargo passes to every binary
			a.Filters = append(a.Filters, value)
		default:
			a.addFeature(name, value)
			a.Cargo = append(a.Cargo, whole...)
		}
	}
	return nil
}

func (a *Arguments) addFeature(name, value string) {
	switch name {
	case "-F", "--features":
		a.Features = append(a.Features, strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' })...)
	case "--all-features":
		a.AllFeatures = true
	case "--no-default-features":
		a.NoDefaultFeatures = true
	}
}

func (a *Arguments) parseLibtest(args []string) error {
	for len(args) > 0 {
		name, value, used := splitFlag(args, libtestTakesValue)
		whole := args[:used]
		args = args[used:]
		if why, ok := libtestRefused[name]; ok {
			return &RefusedError{Argument: name, Why: why}
		}
		switch name {
		case "":
			a.Filters = append(a.Filters, value)
		case "--skip", "--exact":
			a.Filters = append(a.Filters, whole...)
		default:
			a.Libtest = append(a.Libtest, whole...)
		}
	}
	return nil
}

// splitFlag splits the first flag into its name and value, and returns how many arguments
// it used. Anything else is a value without a name.
func splitFlag(args []string, takesValue map[string]bool) (name, value string, used int) {
	first := args[0]
	if !strings.HasPrefix(first, "-") || first == "-" {
		return "", first, 1
	}
	if name, value, ok := strings.Cut(first, "="); ok && strings.HasPrefix(first, "--") {
		return name, value, 1
	}
	if !strings.HasPrefix(first, "--") && len(first) > 2 && takesValue[first[:2]] {
		return first[:2], strings.TrimPrefix(first[2:], "="), 1 // -pNAME
	}
	if takesValue[first] && len(args) > 1 {
		return first, args[1], 2
	}
	return first, "", 1
}
