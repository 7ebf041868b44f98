package index

// SignatureError: an index is not signed by the key that is expected.
type SignatureError struct {
	Problem Problem
	// Expected is the id of that key, Actual of the key that did sign; empty where
	// the signature is missing or cannot be read.
	Expected, Actual string
	Reason           string
}

func (e *SignatureError) Error() string { return e.Reason }

// Problem is what is the matter with a signature.
type Problem int

// The problems.
const (
	// Missing: there is no signature.
	Missing Problem = iota + 1
	// Malformed: there is something else in its place.
	Malformed
	// OtherKey: another key has signed.
	OtherKey
	// WrongContent: the key has not signed this.
	WrongContent
	// BadKey: the key itself cannot be read.
	BadKey
)

// fault says why something cannot be read.
type fault string

func (f fault) Error() string { return string(f) }
