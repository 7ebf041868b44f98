package fingerprint

import "fmt"

// UnknownRevisionError says that the repository has no such commit.
type UnknownRevisionError struct {
	Rev string
	// Detail is what git said.
	Detail string
}

func (e *UnknownRevisionError) Error() string {
	return fmt.Sprintf("git knows no commit %q here: %s", e.Rev, e.Detail)
}

// TooLargeError says that there is more than is looked at for every run.
type TooLargeError struct {
	Top string
	// What is over its bound: "files" or "bytes".
	What  string
	Bound int64
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the sources below %s have no fingerprint: there are more than %d %s that git does not ignore; "+
		"a repository with a .gitignore keeps what is built or downloaded out of it", e.Top, e.Bound, e.What)
}

// NoRepositoryError says that a directory lies in no git repository.
type NoRepositoryError struct{ Dir string }

func (e *NoRepositoryError) Error() string { return e.Dir + " lies in no git repository" }
