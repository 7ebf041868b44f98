package forge

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/proctorhq/proctor/plugins/forge/internal/pragma"
	"github.com/proctorhq/proctor/plugins/forge/internal/settings"
	"github.com/proctorhq/proctor/sdk"
)

// findCompiler finds the program that compiles sources without a network: the project's
// own compiler, or else the latest installed one that the sources accept. It returns ""
// if there is none: forge then says what it lacks.
func findCompiler(ws sdk.Workspace, s settings.Settings, sources []sdk.SourceFile) (program string, warnings []string) {
	installed := installedCompilers(ws.Env)
	if s.Solc != "" {
		program = installed[s.Solc]
		if program == "" && strings.ContainsAny(s.Solc, `/\`) {
			if program = s.Solc; !filepath.IsAbs(program) {
				program = filepath.Join(ws.Root, program)
			}
		}
		if isFile(program) && isLiteral(program) {
			return program, nil
		}
		warnings = append(warnings, fmt.Sprintf("the compiler %q of the project is not installed here", shorten(s.Solc)))
	}
	var texts []string
	for _, source := range sources {
		texts = append(texts, string(source.Content))
	}
	var versions []string
	for version, path := range installed {
		if isLiteral(path) {
			versions = append(versions, version)
		}
	}
	if version, ok := pragma.Latest(versions, texts); ok {
		return installed[version], warnings
	}
	return "", append(warnings, "no installed compiler suits the sources, and forge cannot install one without a network: build a project with that compiler first, or set solc in foundry.toml of this project")
}

// maxCompilers bounds the versions examined.
const maxCompilers = 1000

// installedCompilers finds the compilers that forge has installed, by version:
// DIRECTORY/0.8.30/solc-0.8.30.
func installedCompilers(env map[string]string) map[string]string {
	dirs := []string{}
	if home := env["HOME"]; filepath.IsAbs(home) {
		dirs = append(dirs, filepath.Join(home, ".svm"), filepath.Join(home, ".local", "share", "svm"),
			filepath.Join(home, "Library", "Application Support", "svm"))
	}
	if data := env["XDG_DATA_HOME"]; filepath.IsAbs(data) {
		dirs = append(dirs, filepath.Join(data, "svm"))
	}
	found := map[string]string{}
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, entry := range entries[:min(len(entries), maxCompilers)] {
			path := filepath.Join(dir, entry.Name(), "solc-"+entry.Name())
			if _, known := found[entry.Name()]; !known && isFile(path) {
				found[entry.Name()] = path
			}
		}
	}
	return found
}

// pathsToRead returns what a program needs to start: its file, and the file that it links
// to. For a compiler that forge installed it is the whole directory, which has nothing
// else in it; beside any other there may be the user's files.
func pathsToRead(program string, installed map[string]string) []string {
	paths := []string{program}
	for _, path := range installed {
		if path == program {
			paths = []string{filepath.Dir(program)}
		}
	}
	if target, err := filepath.EvalSymlinks(program); err == nil && target != program {
		paths = append(paths, target)
	}
	return paths
}
