package source

import (
	"io/fs"
	"os"
	"strings"
)

// maxModFile bounds a go.mod or go.work file; real ones stay below 100 KiB.
const maxModFile = 4 << 20

// modFile is the part of a go.mod or go.work file that locates packages and chooses a
// toolchain.
type modFile struct {
	module    string
	goVersion string
	toolchain string
	uses      []string
	// replaces maps a module path to a local directory.
	replaces map[string]string
}

// modFile parses a file in go.mod syntax. It skips lines that it does not understand:
// the go command judges the file.
func (r Reader) modFile(path string) (modFile, error) {
	text, err := r.modText(path)
	if err != nil {
		return modFile{}, err
	}
	return parseModFile(text), nil
}

// modText reads such a file. A directory with its name does not count, as for the go
// command.
func (r Reader) modText(path string) (string, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return "", &fs.PathError{Op: "read", Path: path, Err: fs.ErrNotExist}
	}
	data, err := r.Bytes(path, maxModFile)
	return string(data), err
}

func parseModFile(text string) modFile {
	file := modFile{replaces: map[string]string{}}
	eachDirective(text, file.directive)
	return file
}

// eachDirective calls do for each directive, including those in blocks.
func eachDirective(text string, do func(verb string, args []string)) {
	block := ""
	for line := range strings.Lines(text) {
		words := modWords(line)
		if len(words) == 0 {
			continue
		}
		switch {
		case block != "" && words[0] == ")":
			block = ""
		case block != "":
			do(block, words)
		case len(words) == 2 && words[1] == "(":
			block = words[0]
		default:
			do(words[0], words[1:])
		}
	}
}

func (f *modFile) directive(verb string, args []string) {
	if len(args) == 0 {
		return
	}
	switch verb {
	case "module":
		f.module = args[0]
	case "go":
		f.goVersion = args[0]
	case "toolchain":
		f.toolchain = args[0]
	case "use":
		f.uses = append(f.uses, args[0])
	case "replace":
		f.replace(args)
	}
}

func (f *modFile) replace(args []string) {
	for i, word := range args {
		if word == "=>" && i+1 < len(args) && isLocalPath(args[i+1]) {
			f.replaces[args[0]] = args[i+1]
		}
	}
}

func isLocalPath(path string) bool {
	return strings.HasPrefix(path, "./") || strings.HasPrefix(path, "../") || path == "." || path == ".." ||
		strings.HasPrefix(path, "/") || strings.Contains(path, ":\\")
}

// modWords splits a line of a go.mod file into words, without its comment.
func modWords(line string) []string {
	var words []string
	for {
		line = strings.TrimLeft(line, " \t\r\n")
		if line == "" || strings.HasPrefix(line, "//") {
			return words
		}
		switch line[0] {
		case '"', '`':
			word, rest, found := strings.Cut(line[1:], line[:1])
			if !found {
				return words
			}
			words, line = append(words, word), rest
		case '(', ')':
			words, line = append(words, line[:1]), line[1:]
		default:
			end := strings.IndexAny(line, " \t\r\n()")
			if end < 0 {
				end = len(line)
			}
			words, line = append(words, line[:end]), line[end:]
		}
	}
}
