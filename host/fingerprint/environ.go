package fingerprint

import "strings"

// environ is the environment that git gets. No variable of git comes in: a hook
// that calls us has GIT_DIR and GIT_INDEX_FILE set, others name programs or files
// to write to.
func environ(env []string) []string {
	kept := make([]string, 0, len(env)+8)
	for _, e := range env {
		name, _, _ := strings.Cut(e, "=")
		switch name = strings.ToUpper(name); {
		case strings.HasPrefix(name, "GIT_"), name == "LC_ALL", name == "LANGUAGE":
		default:
			kept = append(kept, e)
		}
	}
	return append(kept,
		"GIT_OPTIONAL_LOCKS=0",  // write nothing on the side
		"GIT_NO_LAZY_FETCH=1",   // fetch no objects that a partial clone lacks,
		"GIT_ALLOW_PROTOCOL=",   // over no protocol, where git does not know the above
		"GIT_TERMINAL_PROMPT=0", // ask nobody
		"GIT_FLUSH=1",           // answer each question at once
		"LC_ALL=C",
	)
}

// getenv is the value of a variable, as the last one of its name.
func getenv(env []string, name string) string {
	value := ""
	for _, e := range env {
		if n, v, ok := strings.Cut(e, "="); ok && n == name {
			value = v
		}
	}
	return value
}
