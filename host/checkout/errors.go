package checkout

import (
	"fmt"
	"strings"
)

// RevisionError reports that a revision does not name a commit.
type RevisionError struct {
	Revision string
	// Detail is git's message.
	Detail string
}

func (e *RevisionError) Error() string {
	text := fmt.Sprintf("%q does not name a commit of this repository", e.Revision)
	if e.Detail != "" {
		text += " (" + e.Detail + ")"
	}
	return text + "; give a branch, a tag, a commit, or merge-base:BRANCH"
}

// RepositoryError reports that there is no repository to check out commits from.
type RepositoryError struct {
	Dir string
	// Detail is git's message.
	Detail string
}

func (e *RepositoryError) Error() string {
	text := e.Dir + " is not in a git repository with a working tree"
	if e.Detail != "" && !strings.Contains(e.Detail, "not a git repository") {
		text += ": " + e.Detail
	}
	return text
}
