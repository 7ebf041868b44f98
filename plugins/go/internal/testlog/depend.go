package testlog

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/proctorhq/proctor/plugins/go/internal/source"
)

// maxReads bounds the files of one test.
const maxReads = 20_000

// Place is where a test ran.
type Place struct {
	// Root is the workspace, Dir where the test started, Temp where it keeps temporary
	// files: all absolute, Root with symbolic links resolved.
	Root, Dir, Temp string
	// Own are directories of the program that ran the test.
	Own []string
	// Binary is the program that the test is part of.
	Binary string
}

// Dependence is what a test depends on besides its code.
type Dependence struct {
	// Reads are the workspace's files and directories that it looked at,
	// slash-separated, relative to the root and sorted, without those kept by version
	// control or proctor.
	Reads []string
	// Program is a program that it may have started: an executable file that it opened.
	Program string
	// Self is how often it opened its own program.
	Self int
	// TooMany reports whether it looked at more files than Reads has.
	TooMany bool
}

// Depend reads a log. Call it before files are removed: they show which ones are
// programs.
func Depend(from io.Reader, place Place) (Dependence, error) {
	var found Dependence
	seen := map[string]bool{}
	reads := map[string]bool{}
	err := readLog(from, place.Dir, func(op operation, path string) {
		if op == opened && filepath.Base(path) == filepath.Base(place.Binary) && resolveLinks(path) == resolveLinks(place.Binary) {
			found.Self++
			return
		}
		key := string(op) + path
		if seen[key] || found.TooMany {
			return
		}
		seen[key] = true
		found.TooMany = len(seen) > 4*maxReads || len(reads) > maxReads
		if op == opened && found.Program == "" && isProgram(path) {
			found.Program = strings.ToValidUTF8(filepath.Base(path), "\uFFFD")
		}
		if _, above := source.RelativeTo(path, place.Dir); op == inspected && above {
			return // it certainly exists, and the rest of it does not matter
		}
		for _, name := range place.names(path) {
			reads[name] = true
		}
	})
	for name := range reads {
		found.Reads = append(found.Reads, name)
	}
	slices.Sort(found.Reads)
	return found, err
}

// isProgram reports whether a file can be executed. An unknown file does not count:
// tests write many files and remove them.
func isProgram(path string) bool {
	if strings.HasPrefix(path, "/proc/") && filepath.Base(path) == "exe" {
		return true
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	if runtime.GOOS == "windows" {
		switch strings.ToLower(filepath.Ext(path)) {
		case ".exe", ".com", ".bat", ".cmd":
			return true
		}
		return false
	}
	return info.Mode()&0o111 != 0 && beginsAsProgram(path)
}

// programs are the beginnings of executable files: a script with its interpreter, and
// the formats of Linux and the BSDs, of macOS and of Windows. Where every file is
// marked as executable, as on some mounted disks, others do not count.
var programs = []string{
	"#!", "\x7fELF", "MZ", "\xfe\xed\xfa\xce", "\xfe\xed\xfa\xcf", "\xce\xfa\xed\xfe", "\xcf\xfa\xed\xfe", "\xca\xfe\xba\xbe", "\xbe\xba\xfe\xca",
}

// beginsAsProgram reports whether a regular file is a program, or unreadable.
func beginsAsProgram(path string) bool {
	head, err := source.Reader{}.Head(path, 4)
	return err != nil || slices.ContainsFunc(programs, func(start string) bool { return strings.HasPrefix(string(head), start) })
}

// names returns a path's names within the workspace: its own and, for a symbolic link,
// that of its target.
func (p Place) names(path string) []string {
	var names []string
	for _, candidate := range []string{path, resolveLinks(path)} {
		if name, inside := p.name(candidate); inside && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func (p Place) name(path string) (string, bool) {
	rel, inside := source.RelativeTo(p.Root, path)
	if !inside || !utf8.ValidString(rel) {
		return "", false
	}
	if _, tempInside := source.RelativeTo(p.Root, p.Temp); tempInside && p.Temp != p.Root {
		if _, temporary := source.RelativeTo(p.Temp, path); temporary {
			return "", false
		}
	}
	for _, own := range p.Own {
		if _, is := source.RelativeTo(own, path); is {
			return "", false
		}
	}
	name := filepath.ToSlash(rel)
	for element := range strings.SplitSeq(name, "/") {
		if element == ".git" || element == ".proctor" {
			return "", false
		}
	}
	return name, true
}

// resolveLinks resolves symbolic links; if the path does not exist, those of its parents.
func resolveLinks(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if real, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(real, filepath.Base(path))
	}
	return path
}
