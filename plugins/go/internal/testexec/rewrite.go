package testexec

import "fmt"

// NoPlaceholderError is a command line without the expression to replace.
type NoPlaceholderError struct{ Flag string }

// Error names the flag.
func (e *NoPlaceholderError) Error() string {
	return fmt.Sprintf("the test binary was not given -test.%s=%s, which stands for the tests to rerun", e.Flag, Placeholder)
}

// replacePlaceholder replaces the placeholder by a package's expression; an empty one
// removes the flag.
func replacePlaceholder(args []string, flag, expr string) ([]string, error) {
	prefix := "-test." + flag + "="
	for i, arg := range args {
		if arg != prefix+Placeholder {
			continue
		}
		rewritten := append([]string{}, args[:i]...)
		if expr != "" {
			rewritten = append(rewritten, prefix+expr)
		}
		return append(rewritten, args[i+1:]...), nil
	}
	return nil, &NoPlaceholderError{Flag: flag}
}
