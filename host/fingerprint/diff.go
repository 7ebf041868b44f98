package fingerprint

import "strings"

// ChangeKind says how a file changed.
type ChangeKind uint8

// The kinds of changes.
const (
	Added ChangeKind = iota
	Modified
	Deleted
)

func (k ChangeKind) String() string {
	switch k {
	case Added:
		return "added"
	case Modified:
		return "modified"
	default:
		return "deleted"
	}
}

// Change is a file that differs between two states.
type Change struct {
	Path string
	Kind ChangeKind
}

// Diff returns how the files of a changed in b, sorted by path. It needs no contents.
// States of different tops or kinds differ in nearly every file; the caller compares
// those first.
func Diff(a, b State) []Change {
	var changes []Change
	merge(a.Files, b.Files, func(before, now *File) {
		switch {
		case before == nil:
			changes = append(changes, Change{now.Path, Added})
		case now == nil:
			changes = append(changes, Change{before.Path, Deleted})
		case *before != *now:
			changes = append(changes, Change{now.Path, Modified})
		}
	})
	return changes
}

// merge walks two sorted lists in parallel. One of each pair may be nil.
func merge(a, b []File, pair func(a, b *File)) {
	for len(a) > 0 || len(b) > 0 {
		order := 0
		switch {
		case len(a) == 0:
			order = 1
		case len(b) == 0:
			order = -1
		default:
			order = strings.Compare(a[0].Path, b[0].Path)
		}
		switch {
		case order < 0:
			pair(&a[0], nil)
			a = a[1:]
		case order > 0:
			pair(nil, &b[0])
			b = b[1:]
		default:
			pair(&a[0], &b[0])
			a, b = a[1:], b[1:]
		}
	}
}
