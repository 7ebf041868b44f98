package index

// SignatureError reports that an index is not signed by the expected key.
type SignatureError struct {
	Problem Problem
	// Expected is the id of that key, Actual of the key that signed; empty if the
	// signature is missing or unreadable.
	Expected, Actual string
	Reason           string
}

func (e *SignatureError) Error() string { return e.Reason }

// Problem is what is wrong with a signature.
type Problem int

// The problems.
const (
	// Missing means that there is no signature.
	Missing Problem = iota + 1
	// Malformed means that there is something else in its place.
	Malformed
	// OtherKey means that another key signed.
	OtherKey
	// WrongContent means that the key did not sign this.
	WrongContent
	// BadKey means that the key itself cannot be read.
	BadKey
)

// fault says why something cannot be read.
type fault string

func (f fault) Error() string { return string(f) }
