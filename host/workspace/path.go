package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// OnPath reports whether the directory of a program, an absolute path, is in PATH.
func OnPath(env []string, program string) bool {
	return slices.Contains(pathOf(env), filepath.Dir(program))
}

// ExtendPath returns the environment for a command whose children must find some
// programs, given as absolute paths, by name. If PATH has all of their directories, it
// returns env itself. Otherwise PATH is evidently short, as for programs started from a
// desktop: ExtendPath appends the programs' directories, then those of dirs and of the
// usual installation directories that exist.
func ExtendPath(env, programs []string, dirs ...string) []string {
	var added []string
	for _, program := range programs {
		if filepath.IsAbs(program) && !OnPath(env, program) {
			added = append(added, filepath.Dir(program))
		}
	}
	if len(added) == 0 {
		return env
	}
	for _, dir := range slices.Concat(inHome(env, dirs), usualDirs(env)) {
		if st, err := os.Stat(dir); filepath.IsAbs(dir) && err == nil && st.IsDir() {
			added = append(added, dir)
		}
	}
	path, have := Getenv(env, "PATH"), pathOf(env)
	for _, dir := range added {
		dir = filepath.Clean(dir)
		if slices.Contains(have, dir) || strings.ContainsRune(dir, filepath.ListSeparator) {
			continue
		}
		have = append(have, dir)
		if path != "" {
			path += string(filepath.ListSeparator)
		}
		path += dir
	}
	return Setenv(env, "PATH", path)
}

// pathOf returns the directories in PATH.
func pathOf(env []string) []string {
	var dirs []string
	for _, dir := range filepath.SplitList(Getenv(env, "PATH")) {
		if filepath.IsAbs(dir) {
			dirs = append(dirs, filepath.Clean(dir))
		}
	}
	return dirs
}

// FindDirectory returns the path of a directory that a user named without "./", as runners
// want it. So is a file, perhaps with a line in it, since runners know what to say of one. A
// name of anything else, such as an import path, is returned as it is.
func FindDirectory(dir, name string) (path string, found bool) {
	below := strings.TrimSuffix(name, "/...")
	if below == "" || strings.HasPrefix(below, ".") || strings.HasPrefix(below, "/") || strings.HasPrefix(below, "-") {
		return name, false
	}
	file, _, _ := strings.Cut(below, ":")
	for _, path := range []string{below, file} {
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(path))); err == nil {
			return "./" + name, true
		}
	}
	return name, false
}

// RepositoryOf returns the directory of the Git repository that a directory lies in; empty
// if there is none.
func RepositoryOf(dir string) string {
	for at := dir; filepath.IsAbs(at); at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	return ""
}
