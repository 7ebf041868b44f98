package plugin

import "github.com/proctorhq/proctor/sdk"

// textOf returns roughly how many bytes of text a result puts on record.
func textOf(t sdk.TestResult) int {
	n := len(t.Suite) + len(t.Test) + len(t.Root) + len(t.Location.File) + textOfAttributes(t.Attributes)
	for _, m := range t.Measures {
		n += len(m.Name) + len(m.Value) + len(m.Section)
	}
	return n
}

// textOfFailure does the same for a failure.
func textOfFailure(f sdk.Failure) int {
	n := len(f.Suite) + len(f.Test) + len(f.Message) + len(f.Output) +
		len(f.Diff.Got) + len(f.Diff.Want) + len(f.Diff.Text) + textOfAttributes(f.Attributes)
	for _, a := range f.Also {
		n += len(a.Message) + len(a.Location.File)
	}
	for _, s := range f.Stack {
		n += len(s.Function) + len(s.Location.File)
	}
	for _, d := range f.DerivedFrom {
		n += len(d.Suite) + len(d.Test)
	}
	for _, b := range f.Blocks {
		n += len(b)
	}
	return n
}

func textOfAttributes(attributes map[string]string) int {
	n := 0
	for key, value := range attributes {
		n += len(key) + len(value)
	}
	return n
}
