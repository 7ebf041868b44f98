package source

import (
	"runtime"
	"strings"
	"unicode/utf8"

	"github.com/proctorhq/proctor/host/plugin/manifest"
)

const onWindows = runtime.GOOS == "windows"

const (
	// maxSpec is the longest specification, in bytes: browsers and servers agree on
	// addresses of 2,000, and paths are seldom longer than 4,096.
	maxSpec = 4 << 10
	// maxElements bounds the depth of a Go package below its host: each element is
	// tried as a module.
	maxElements = 16
	// maxShown is how much of a text an error repeats.
	maxShown = 200
)

// anyVersion is the absence of a constraint, in Go's words.
const anyVersion = "latest"

// usage ends the errors about ambiguous specifications.
const usage = "a path begins with ./ or /, an index with https:// or file://, a Go package with go:, and a name has lower-case letters, digits and dashes"

func parse(text string, windows bool) (Spec, error) {
	if err := checkText(text); err != nil {
		return Spec{}, err
	}
	switch {
	case strings.HasPrefix(text, modulePrefix):
		return parseExact(text, parseModule)
	case isURL(text):
		// An @ in a user's name does not begin a constraint.
		begin := strings.Index(text, "://") + len("://")
		if slash := strings.IndexByte(text[begin:], '/'); slash >= 0 {
			begin += slash
		} else {
			begin = len(text)
		}
		address, constraint := splitConstraint(text, begin)
		spec, err := parseIndex(address)
		if spec.Constraint = constraint; err != nil {
			return Spec{}, err
		}
		return spec, nil
	case isPath(text, windows):
		address, constraint := splitConstraint(text, 0)
		return Spec{Kind: Local, Address: address, Constraint: constraint}, nil
	}
	return parseExact(text, parseName)
}

// parseExact parses what can have an @ only before a constraint.
func parseExact(text string, address func(string) (Spec, error)) (Spec, error) {
	rest, constraint, found := strings.Cut(text, "@")
	if found && constraint != anyVersion && !isConstraint(constraint) {
		reason := "what follows @ is neither a version, such as 1.2.3, nor a constraint, such as ~> 1.2"
		if strings.ContainsAny(constraint, `'"`) {
			reason += "; quotes are for the shell, and not part of it"
		}
		return Spec{}, &SpecError{Text: clip(text), Reason: reason}
	}
	spec, err := address(rest)
	if err != nil {
		return Spec{}, err
	}
	if constraint != anyVersion {
		spec.Constraint = constraint
	}
	return spec, nil
}

func parseName(text string) (Spec, error) {
	if manifest.ValidName(text) {
		return Spec{Kind: Named, Address: text, Name: text}, nil
	}
	reason := usage
	if strings.ContainsAny(text, `/\.`) {
		reason = "if it is a path, write ./" + clip(text) + " (" + usage + ")"
	}
	return Spec{}, &SpecError{Text: clip(text), Reason: reason}
}

// parseModule parses go: and the path of a package.
func parseModule(text string) (Spec, error) {
	pkg := strings.TrimPrefix(text, modulePrefix)
	elements := strings.Split(pkg, "/")
	for _, e := range elements {
		// An element that begins with a dash, if first, could be taken for a flag.
		if e == "" || strings.Trim(e, ".") == "" || e[0] == '-' || strings.ContainsFunc(e, notInImportPath) {
			return Spec{}, &SpecError{Text: clip(text), Reason: "it is not the path of a Go package, such as go:example.com/mod/cmd/proctor-plugin-x"}
		}
	}
	if !strings.Contains(elements[0], ".") || len(elements) < 2 || len(elements) > maxElements {
		return Spec{}, &SpecError{Text: clip(text), Reason: "a Go package that can be fetched begins with a host, such as go:example.com/mod/cmd/proctor-plugin-x"}
	}
	name := strings.TrimPrefix(programOf(elements), manifest.BinaryPrefix)
	if name == programOf(elements) || !manifest.ValidName(name) {
		name = ""
	}
	return Spec{Kind: GoModule, Address: pkg, Name: name}, nil
}

// isPath reports whether a text is meant as a path.
func isPath(text string, windows bool) bool {
	if text == "." || text == ".." {
		return true
	}
	for _, prefix := range []string{"./", "../", "/"} {
		if strings.HasPrefix(text, prefix) || windows && strings.HasPrefix(text, strings.ReplaceAll(prefix, "/", `\`)) {
			return true
		}
	}
	return hasDrive(text, windows)
}

// hasDrive reports whether a path begins with a drive.
func hasDrive(path string, windows bool) bool {
	return windows && len(path) >= 3 && path[1] == ':' && (path[2] == '\\' || path[2] == '/')
}

// isAbsolute reports whether a path leads to the same place from every directory.
func isAbsolute(path string, windows bool) bool {
	return strings.HasPrefix(path, "/") || hasDrive(path, windows) || windows && strings.HasPrefix(path, `\\`)
}

// splitConstraint splits a constraint off the end of a text whose name may also contain
// an @.
func splitConstraint(text string, begin int) (rest, constraint string) {
	at := strings.LastIndexByte(text, '@')
	if at <= begin {
		return text, ""
	}
	constraint = text[at+1:]
	for _, suffix := range []string{".tar.gz", ".tgz", ".zip", ".json"} {
		// plugin@v2-linux.tar.gz would be a version with a prerelease.
		if strings.HasSuffix(constraint, suffix) {
			return text, ""
		}
	}
	switch {
	case constraint == anyVersion:
		return text[:at], ""
	case isConstraint(constraint):
		return text[:at], constraint
	}
	return text, ""
}

func isConstraint(text string) bool {
	_, err := manifest.ParseConstraint(text)
	return err == nil && strings.TrimSpace(text) != ""
}

// notInImportPath reports whether Go forbids a character in import paths.
func notInImportPath(r rune) bool {
	return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-._~", r))
}

// checkText rejects what is not a specification of any kind.
func checkText(text string) error {
	switch {
	case text == "":
		return &SpecError{Reason: "it is empty; " + usage}
	case len(text) > maxSpec:
		return &SpecError{Text: redacted(text), Reason: "it is too long"}
	case !utf8.ValidString(text) || strings.ContainsFunc(text, isControl):
		return &SpecError{Text: redacted(text), Reason: "it has control characters, or bytes that are not text"}
	}
	return nil
}
