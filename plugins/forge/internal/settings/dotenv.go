package settings

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxFile bounds how much of a project's file is read.
const maxFile = 256 << 10

// Prefixes returns the prefixes of the variables that forge reads as settings. Forge
// ignores the case of the first two.
func Prefixes() []string { return []string{"FOUNDRY_", "DAPP_", "FORGE_"} }

// ForcedEnv returns the variables that every command sets so that forge's results can be
// parsed and its exit code is meaningful. They override .env, and these override
// foundry.toml. Found with forge 1.7.1.
func ForcedEnv() map[string]string {
	return map[string]string{
		// With --allow-failure forge exits with 0 although tests failed.
		"FORGE_ALLOW_FAILURE": "false",
		// With a gas report forge prints no results.
		"FORGE_GAS_REPORT": "false",
		// Forge fails if .env gives these an invalid value.
		"FORGE_SNAPSHOT_CHECK":             "false",
		"FORGE_SUPPRESS_SUCCESSFUL_TRACES": "false",
		// Otherwise the logs of tests would appear among the results.
		"FOUNDRY_LIVE_LOGS":     "false",
		"FOUNDRY_SHOW_PROGRESS": "false",
		// Forge rejects --color together with --json.
		"NO_COLOR": "1",
	}
}

// fileWarnings warns of settings in the project's .env, which forge reads although the
// environment is cleared of them.
func fileWarnings(root string) []string {
	var names []string
	forced := ForcedEnv()
	for _, name := range fileNames(root) {
		if _, overruled := forced[name]; !overruled && isSetting(name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	return []string{"the file .env of the project changes the settings of forge: " + strings.Join(names, ", ")}
}

func isSetting(name string) bool {
	return slices.ContainsFunc(Prefixes(), func(prefix string) bool {
		return strings.HasPrefix(strings.ToUpper(name), prefix)
	})
}

// variable is a line of .env.
type variable struct {
	name, value string
	// unclear reports whether the value may differ from the text: it contains quotes or
	// a substitution.
	unclear bool
}

// fileVariables parses .env: lines of NAME=VALUE, with or without "export". In doubt a
// line counts as a variable.
func fileVariables(root string) []variable {
	text := strings.TrimPrefix(strings.ToValidUTF8(string(readFile(root, ".env")), "\uFFFD"), "\uFEFF")
	var all []variable
	for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == '\r' }) {
		before, value, ok := strings.Cut(line, "=")
		words := strings.Fields(before)
		if !ok || len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		v := variable{name: words[len(words)-1]}
		if strings.ContainsAny(v.name, "#'\"") {
			continue
		}
		v.value, v.unclear = unquoteValue(value)
		all = append(all, v)
	}
	return all
}

// unquoteValue removes quotes and a comment from a value.
func unquoteValue(value string) (text string, unclear bool) {
	value, _, _ = strings.Cut(value, " #")
	value = strings.TrimSpace(value)
	if n := len(value); n > 1 && value[0] == value[n-1] && (value[0] == '"' || value[0] == '\'') {
		value = value[1 : n-1]
	}
	return value, strings.ContainsAny(value, "$\\'\" \t")
}

// fileNames returns the names of the variables in .env.
func fileNames(root string) []string {
	var names []string
	for _, v := range fileVariables(root) {
		names = append(names, v.name)
	}
	return names
}

// readFile returns the beginning of a file of the project, or nil if there is no such
// regular file. Opening a pipe would block.
func readFile(root, name string) []byte {
	if root == "" {
		return nil
	}
	path := filepath.Join(root, name)
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxFile))
	if err != nil {
		return nil
	}
	return data
}
