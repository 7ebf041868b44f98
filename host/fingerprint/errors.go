package fingerprint

import "fmt"

// UnknownRevisionError reports that the repository has no such commit.
type UnknownRevisionError struct {
	Rev string
	// Detail is git's message.
	Detail string
}

func (e *UnknownRevisionError) Error() string {
	return fmt.Sprintf("there is no commit %q here: %s", e.Rev, e.Detail)
}

// TooLargeError reports that there is more than every run can examine.
type TooLargeError struct {
	Top string
	// What exceeds its bound: "files" or "bytes".
	What  string
	Bound int64
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the sources below %s have no fingerprint: there are more than %d %s that git does not ignore; "+
		"a repository with a .gitignore keeps what is built or downloaded out of it", e.Top, e.Bound, e.What)
}

// NoRepositoryError reports that a directory is not in a git repository.
type NoRepositoryError struct{ Dir string }

func (e *NoRepositoryError) Error() string { return e.Dir + " is not in a git repository" }
