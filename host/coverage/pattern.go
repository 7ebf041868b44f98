package coverage

import (
	"path"
	"strings"
)

// everything, as the last element of a pattern, matches all that is below.
const everything = "**"

// Matches reports whether a path matches a pattern of [sdk.ListedPart]. A pattern that
// [path.Match] rejects matches all files of its directory.
func Matches(pattern, file string) bool {
	dir, last := split(pattern)
	if last == everything {
		return file != dir && below(dir, file)
	}
	in, name := split(file)
	if in != dir {
		return false
	}
	ok, err := path.Match(last, name)
	return ok || err != nil
}

// below reports whether a file is below a directory.
func below(dir, file string) bool {
	switch dir {
	case "":
		return !strings.HasPrefix(file, "/")
	case "/":
		return strings.HasPrefix(file, "/")
	}
	return strings.HasPrefix(file, dir) && len(file) > len(dir) && file[len(dir)] == '/'
}

// split separates the last element of a slash-separated path. The directory is empty
// for files at the workspace's root, and a slash at the file system's root.
func split(file string) (dir, last string) {
	switch i := strings.LastIndexByte(file, '/'); i {
	case -1:
		return "", file
	case 0:
		return "/", file[1:]
	default:
		return file[:i], file[i+1:]
	}
}
