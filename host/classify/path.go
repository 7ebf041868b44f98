package classify

import "strings"

// temporaryRoots are where programs put temporary files. The path element below them
// has a name made up for one run.
var temporaryRoots = [...]string{
	"/private/var/folders/", "/var/folders/", "/private/var/tmp/", "/private/tmp/", "/var/tmp/", "/dev/shm/", "/data/local/tmp/", "/tmp/",
}

// matchTemporary recognizes a path below a directory for temporary files. The directory made
// up for the run is dropped; the rest stays without its digits:
// "/tmp/TestA123/001/cfg.toml" becomes "<tmp>/<n>/cfg.toml".
func matchTemporary(text string, prev byte) (int, string) {
	if isWord(prev) || prev == '.' {
		return 0, ""
	}
	root := temporaryRoot(text)
	if root == 0 {
		return 0, ""
	}
	own := matchRun(text[root:], inElement)
	if own == 0 {
		return 0, ""
	}
	size := root + own
	rest := matchRun(text[size:], func(c byte) bool { return inElement(c) || c == '/' || c == '\\' })
	return size + rest, "<tmp>" + withoutNumbers(text[size:size+rest])
}

// temporaryRoot returns the length of the directory that holds programs' temporary
// directories.
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
	const runtime = "/run/user/" // followed by the user id
	if strings.HasPrefix(text, runtime) {
		if id := matchDigits(text[len(runtime):]); id > 0 && strings.HasPrefix(text[len(runtime)+id:], "/") {
			return len(runtime) + id + 1
		}
	}
	return windowsRoot(text)
}

// windowsRoot recognizes `C:\Users\name\AppData\Local\Temp\` in any spelling.
func windowsRoot(text string) int {
	const depth = 256
	drive := len(text) > 2 && text[1] == ':' && (text[2] == '\\' || text[2] == '/')
	if !drive && !strings.HasPrefix(text, "/mnt/") && !(len(text) > 2 && text[0] == '/' && text[2] == '/') {
		return 0
	}
	head := text[:min(len(text), depth)]
	head = head[:matchRun(head, func(c byte) bool { return inElement(c) || c == '\\' || c == '/' || c == ':' })]
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

// leastNumbered is the minimum number of digits that end the name of a directory made
// up for one run.
const leastNumbered = 7

// matchNumbered recognizes a path element that a program made of a name and a number, in an
// unknown directory for temporary files: "TestWrite2168666002".
func matchNumbered(text string, size int, prev byte) (int, string) {
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

// inElement rejects characters that end a path in a message, and so its element.
func inElement(c byte) bool {
	return isWord(c) || strings.IndexByte(".-+@~#%=$", c) >= 0
}

func withoutNumbers(path string) string {
	var out strings.Builder
	for i := 0; i < len(path); {
		if n := matchDigits(path[i:]); n > 0 {
			out.WriteString("<n>")
			i += n
			continue
		}
		out.WriteByte(path[i])
		i++
	}
	return strings.TrimRight(strings.NewReplacer(`\\`, "/", `\`, "/").Replace(out.String()), ".")
}

// leastEphemeral is the number of digits of a port chosen by the system.
const leastEphemeral = 5

// matchPosition recognizes what follows a colon: the line and column of a file, a host's
// port, or a bare port chosen by the system.
func matchPosition(text, before string) (int, string) {
	n := matchDigits(text[1:])
	if n == 0 {
		return 0, ""
	}
	size := 1 + n
	switch {
	case isHost(before):
		return size, ":<port>"
	case isFile(before):
		if column := matchDigits(trimPrefix(text[size:], ":")); column > 0 {
			size += 1 + column
		}
		if !endsWord(text, size) {
			return 0, ""
		}
		return size, ""
	case n == leastEphemeral && (!isWord(lastByte(before)) || isURL(before)) && endsWord(text, size):
		return size, ":<port>"
	}
	return 0, ""
}

// trimPrefix returns the text after a prefix; empty if it is absent.
func trimPrefix(text, prefix string) string {
	rest, _ := strings.CutPrefix(text, prefix)
	if len(rest) == len(text) {
		return ""
	}
	return rest
}

// matchGutter recognizes the line number that compilers print before a source line: "12 |".
func matchGutter(text string) int {
	n := matchDigits(text)
	blanks := matchRun(text[n:min(len(text), n+8)], func(c byte) bool { return c == ' ' })
	if n == 0 || !strings.HasPrefix(text[n+blanks:], "|") {
		return 0
	}
	return n
}

// isHost reports whether the text ends with a machine's address.
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

// isURL reports whether the text ends with the host of a URL.
func isURL(text string) bool {
	const longest = 128
	text = text[max(0, len(text)-longest):]
	i := len(text)
	for i > 0 && (isWord(text[i-1]) || text[i-1] == '.' || text[i-1] == '-') {
		i--
	}
	return strings.HasSuffix(text[:i], "://") || i > 0 && text[i-1] == '@'
}

// isFile reports whether the text ends with a name and an extension.
func isFile(text string) bool {
	const longest = 8
	i := len(text)
	for ; i > 0 && len(text)-i <= longest && isWord(text[i-1]); i-- {
	}
	extension := text[i:]
	return extension != "" && len(extension) <= longest && !isDigit(extension[0]) &&
		i > 1 && text[i-1] == '.' && isWord(text[i-2])
}
