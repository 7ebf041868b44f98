package settings

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/proctorhq/proctor/sdk"
)

// written is what the files of a project say about compilers.
type written struct {
	root string
	// solc is the compiler that forge uses, or empty if forge chooses.
	solc string
	// programs are all mentions, versions among them.
	programs []mention
	// whole reports whether everything could be read.
	whole bool
}

// mention is a compiler that a file names.
type mention struct {
	text, file string
	// unclear reports whether forge may read a different value.
	unclear bool
	// vyper reports whether it is a Vyper compiler.
	vyper bool
}

// maxDepth bounds the nesting of tables.
const maxDepth = 20

// readWritten reads foundry.toml, the files it extends, .env, and the user's own
// configuration.
func readWritten(ws sdk.Workspace) written {
	w := written{root: ws.Root, whole: true}
	if ws.Root == "" {
		return w
	}
	profile := "default"
	named := map[string]string{}
	for _, v := range fileVariables(ws.Root) {
		switch name := strings.ToUpper(v.name); {
		case v.name == "FOUNDRY_PROFILE":
			profile = v.value
		case name == "FOUNDRY_CONFIG":
			w.whole = false // another file
		case isSetting(name) && (strings.Contains(name, "SOLC") || strings.Contains(name, "VYPER")):
			w.programs = append(w.programs, mention{v.value, ".env", v.unclear, strings.Contains(name, "VYPER")})
			named[name] = v.value
		}
	}
	if given := ws.Env["FOUNDRY_PROFILE"]; given != "" {
		profile = given
	}
	documents := w.readDocuments(ws)
	// Variables override files. An alias that sets the same key overrides other aliases.
	for _, name := range []string{"FOUNDRY_SOLC", "DAPP_SOLC", "FOUNDRY_SOLC_VERSION", "DAPP_SOLC_VERSION"} {
		if w.solc == "" {
			w.solc = named[name]
		}
	}
	for _, name := range []string{profile, "default"} {
		for _, document := range documents {
			for _, section := range profileTables(document, name) {
				for _, key := range []string{"solc", "solc_version"} {
					if text, ok := section[key].(string); ok && w.solc == "" {
						w.solc = text
					}
				}
			}
		}
	}
	return w
}

// readDocuments reads the files, the one with precedence first.
func (w *written) readDocuments(ws sdk.Workspace) []map[string]any {
	own, ok := w.readDocument(filepath.Join(ws.Root, "foundry.toml"))
	if !ok {
		return nil
	}
	documents := []map[string]any{own}
	for _, base := range extendedFiles(own, 0) {
		if document, ok := w.readDocument(resolveBeside(ws.Root, base)); ok {
			documents = append(documents, document)
		}
	}
	if home := ws.Env["HOME"]; filepath.IsAbs(home) {
		// The user's configuration does not name anything in the workspace.
		users := written{whole: true}
		if document, ok := users.readDocument(filepath.Join(home, ".foundry", "foundry.toml")); ok {
			documents = append(documents, document)
		}
	}
	return documents
}

// resolveBeside resolves a path in a configuration relative to the directory of that
// configuration.
func resolveBeside(dir, name string) string {
	if name = filepath.FromSlash(name); filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}

// readDocument reads one file and records the compilers it mentions.
func (w *written) readDocument(path string) (map[string]any, bool) {
	if _, err := os.Stat(path); os.IsNotExist(err) {
		return nil, false
	}
	data := readFile(filepath.Split(path))
	var document map[string]any
	if len(data) == maxFile || toml.Unmarshal(data, &document) != nil {
		w.whole = false
		return nil, false
	}
	file := path
	if rel, err := filepath.Rel(w.root, path); err == nil && filepath.IsLocal(rel) {
		file = filepath.ToSlash(rel)
	}
	w.recordMentions(document, file, false, 0)
	return document, true
}

// recordMentions records the compilers in a table and in the tables below it.
func (w *written) recordMentions(table map[string]any, file string, vyper bool, depth int) {
	if depth > maxDepth {
		w.whole = false
		return
	}
	for _, key := range slices.Sorted(maps.Keys(table)) {
		isVyper := strings.EqualFold(key, "vyper")
		switch value := table[key].(type) {
		case string:
			name := strings.ToLower(key)
			if name == "solc" || name == "solc_version" || isVyper || vyper && name == "path" {
				w.programs = append(w.programs, mention{text: value, file: file, vyper: isVyper || vyper})
			}
		case map[string]any:
			w.recordMentions(value, file, isVyper, depth+1)
		}
	}
}

// profileTables returns the tables of a profile: profile.NAME, and the older form NAME.
func profileTables(document map[string]any, profile string) []map[string]any {
	var found []map[string]any
	add := func(tables map[string]any) {
		for name, value := range tables {
			if table, ok := value.(map[string]any); ok && strings.EqualFold(name, profile) {
				found = append(found, table)
			}
		}
	}
	if profiles, ok := document["profile"].(map[string]any); ok {
		add(profiles)
	}
	add(document)
	return found
}

// extendedFiles returns the files that a configuration extends: extends = "FILE", or a table
// with a path, in a profile.
func extendedFiles(table map[string]any, depth int) []string {
	if depth > maxDepth {
		return nil
	}
	var files []string
	for key, value := range table {
		inner, isTable := value.(map[string]any)
		if key == "extends" {
			if isTable {
				value = inner["path"]
			}
			if name, ok := value.(string); ok && !slices.Contains(files, name) {
				files = append(files, name)
			}
			continue
		}
		if isTable {
			files = append(files, extendedFiles(inner, depth+1)...)
		}
	}
	return files
}
