package cli

import "errors"

// revision is a flag that takes a revision or none: HEAD then. Its value stands behind
// "=", or as the argument after it, since it looks like one there.
type revision struct {
	value string
	given bool
	// bare: it was given without a value of its own.
	bare bool
}

// bareRevision is what the flag is set to without a value. That and the type are what
// the flags' library leaves out of its help.
const bareRevision = "true"

func (r *revision) String() string { return r.value }
func (r *revision) Type() string   { return "bool" }

func (r *revision) Set(text string) error {
	if text == "" {
		return errors.New("the revision is empty: name one, such as HEAD or main, or leave it out")
	}
	*r = revision{value: text, given: true, bare: text == bareRevision}
	return nil
}

// take returns the revision, "" where the flag was not given, and those arguments that
// are no value of it.
func (r *revision) take(args []string) (rev string, rest []string, err error) {
	switch {
	case !r.bare:
		return r.value, args, nil
	case len(args) == 0:
		return "HEAD", nil, nil
	case args[0] == "":
		return "", nil, &flagError{errors.New("the revision is empty: name one, such as HEAD or main, or leave it out")}
	}
	return args[0], args[1:], nil
}
