package classify

import "strings"

// temporaryRoots are where programs put what they throw away. The part of a path
// below them has a name that was made up for one run.
var temporaryRoots = [...]string{
	"/private/var/folders/", "/var/folders/", "/private/var/tmp/", "/private/tmp/", "/var/tmp/", "/dev/shm/", "/data/local/tmp/", "/tmp/",
}

// temporary is a path below a directory for temporary files. The directory made
// up for the run goes; what lies below it stays, without its figures:
// "/tmp/TestA123/001/cfg.toml" is "<tmp>/<n>/cfg.toml".
func temporary(text string, prev byte) (int, string) {
	if isWord(prev) || prev == '.' {
		return 0, ""
	}
	root := temporaryRoot(text)
	if root == 0 {
		return 0, ""
	}
	own := run(text[root:], inElement)
	if own == 0 {
		return 0, ""
	}
	size := root + own
	rest := run(text[size:], func(c byte) bool { return inElement(c) || c == '/' || c == '\\' })
	return size + rest, "<tmp>" + withoutNumbers(text[size:size+rest])
}

// temporaryRoot is the length of the directory in which programs make theirs.
func temporaryRoot(text string) int {
	for _, r := range temporaryRoots {
		if !strings.HasPrefix(text, r) {
			continue
		}
		n := len(r)
		if strings.HasSuffix(r, "folders/") {
			// macOS: /var/folders/zz/abc/T/
			const depth = 128
			if t := strings.Index(text[n:min(len(text), n+depth)], "/T/"); t >= 0 {
				n += t + len("/T/")
			}
		}
		return n
	}
	const runtime = "/run/user/" // with the number of the user
	if strings.HasPrefix(text, runtime) {
		if id := digits(text[len(runtime):]); id > 0 && strings.HasPrefix(text[len(runtime)+id:], "/") {
			return len(runtime) + id + 1
		}
	}
	return windowsRoot(text)
}

// windowsRoot is `C:\Users\name\AppData\Local\Temp\`, however it is written.
func windowsRoot(text string) int {
	const depth = 256
	drive := len(text) > 2 && text[1] == ':' && (text[2] == '\\' || text[2] == '/')
	if !drive && !strings.HasPrefix(text, "/mnt/") && !(len(text) > 2 && text[0] == '/' && text[2] == '/') {
		return 0
	}
	head := text[:min(len(text), depth)]
	head = head[:run(head, func(c byte) bool { return inElement(c) || c == '\\' || c == '/' || c == ':' })]
	for _, temp := range [...]string{"/AppData/Local/Temp/", "/Windows/Temp/", ":/Temp/", ":/tmp/"} {
		for _, separator := range [...]string{"/", `\`, `\\`} {
			written := strings.ReplaceAll(temp, "/", separator)
			if i := strings.Index(head, written); i >= 0 {
				return i + len(written)
			}
		}
	}
	return 0
}

// leastNumbered is how many figures stand at least at the end of the name of a
// directory that was made up for one run.
const leastNumbered = 7

// numbered is an element of a path that a program made up of a name and a number, in
// a directory for temporary files that nobody knows for one: "TestWrite2168666002".
func numbered(text string, size int, prev byte) (int, string) {
	if prev != '/' && prev != '\\' {
		return 0, ""
	}
	at := size
	for at > 0 && isDigit(text[at-1]) {
		at--
	}
	if at == 0 || size-at < leastNumbered {
		return 0, ""
	}
	return size, text[:at] + "<n>"
}

// inElement: signs that end a path in a message end its element too.
func inElement(c byte) bool {
	return isWord(c) || strings.IndexByte(".-+@~#%=$", c) >= 0
}

func withoutNumbers(path string) string {
	var out strings.Builder
	for i := 0; i < len(path); {
		if n := digits(path[i:]); n > 0 {
			out.WriteString("<n>")
			i += n
			continue
		}
		out.WriteByte(path[i])
		i++
	}
	return strings.TrimRight(strings.NewReplacer(`\\`, "/", `\`, "/").Replace(out.String()), ".")
}

// leastEphemeral is how many digits a port has that the system chose.
const leastEphemeral = 5

// position is what stands behind a colon: the line and column of a file, the port
// of a host, or a port alone that the system chose.
func position(text, before string) (int, string) {
	n := digits(text[1:])
	if n == 0 {
		return 0, ""
	}
	size := 1 + n
	switch {
	case isHost(before):
		return size, ":<port>"
	case isFile(before):
		if column := digits(after(text[size:], ":")); column > 0 {
			size += 1 + column
		}
		if !ends(text, size) {
			return 0, ""
		}
		return size, ""
	case n == leastEphemeral && (!isWord(last(before)) || isURL(before)) && ends(text, size):
		return size, ":<port>"
	}
	return 0, ""
}

// after is the text after a prefix; empty where it is not there.
func after(text, prefix string) string {
	rest, _ := strings.CutPrefix(text, prefix)
	if len(rest) == len(text) {
		return ""
	}
	return rest
}

// gutter is the number of a line of source that compilers print before it: "12 |".
func gutter(text string) int {
	n := digits(text)
	blanks := run(text[n:min(len(text), n+8)], func(c byte) bool { return c == ' ' })
	if n == 0 || !strings.HasPrefix(text[n+blanks:], "|") {
		return 0
	}
	return n
}

// isHost: the text ends with an address of a machine.
func isHost(text string) bool {
	const longest = 24
	text = text[max(0, len(text)-longest):]
	if strings.HasSuffix(text, "localhost") || strings.HasSuffix(text, "]") && strings.Contains(text, "[") && strings.Contains(text, ":") {
		return true
	}
	dots, i := 0, len(text)
	for ; i > 0 && (isDigit(text[i-1]) || text[i-1] == '.'); i-- {
		if text[i-1] == '.' {
			dots++
		}
	}
	return dots == 3
}

// isURL: the text ends with the host of a URL.
func isURL(text string) bool {
	const longest = 128
	text = text[max(0, len(text)-longest):]
	i := len(text)
	for i > 0 && (isWord(text[i-1]) || text[i-1] == '.' || text[i-1] == '-') {
		i--
	}
	return strings.HasSuffix(text[:i], "://") || i > 0 && text[i-1] == '@'
}

// isFile: the text ends with a name and an extension.
func isFile(text string) bool {
	const longest = 8
	i := len(text)
	for ; i > 0 && len(text)-i <= longest && isWord(text[i-1]); i-- {
	}
	extension := text[i:]
	return extension != "" && len(extension) <= longest && !isDigit(extension[0]) &&
		i > 1 && text[i-1] == '.' && isWord(text[i-2])
}
