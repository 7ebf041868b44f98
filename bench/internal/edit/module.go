package edit

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Module is a module to edit.
type Module struct {
	dir string
	// sources are Go files without tests, tests those with tests, and data all others,
	// as paths relative to the directory.
	sources, tests, data []string
}

// Open finds the files of a module.
func Open(dir string) (*Module, error) {
	m := &Module{dir: dir}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && path != dir && (name == ".git" || name == ".proctor") {
			return filepath.SkipDir
		}
		if !d.Type().IsRegular() {
			return nil
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		inData := slices.Contains(strings.Split(filepath.ToSlash(rel), "/"), "testdata")
		switch {
		case strings.HasSuffix(name, "_test.go") && !inData:
			m.tests = append(m.tests, rel)
		case strings.HasSuffix(name, ".go") && !inData:
			m.sources = append(m.sources, rel)
		case name != "go.mod" && name != "go.sum":
			m.data = append(m.data, rel)
		}
		return nil
	})
	return m, err
}

// WriteFiles writes files into a directory, by slash-separated path.
func WriteFiles(dir string, files map[string]string) error {
	for path, text := range files {
		full := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Random makes one edit, and returns what it did to which file.
func (m *Module) Random(r *rand.Rand) (string, error) {
	const attempts = 100
	for range attempts {
		k := kinds()[r.IntN(len(kinds()))]
		var files []string
		switch k.of {
		case ofSources:
			files = m.sources
		case ofTests:
			files = m.tests
		case ofData:
			files = m.data
		case ofModule:
			files = []string{"go.mod"}
		}
		if len(files) == 0 {
			continue
		}
		file := files[r.IntN(len(files))]
		done, err := k.edit(filepath.Join(m.dir, file), r)
		if err != nil {
			return "", fmt.Errorf("%s of %s: %w", k.what, file, err)
		}
		if done {
			return k.what + " in " + filepath.ToSlash(file), nil
		}
	}
	return "", fmt.Errorf("no edit fits %s", m.dir)
}

// place is what an edit can apply to.
type place int

const (
	ofSources place = iota
	ofTests
	ofData
	ofModule
)

// kind is a kind of edit. It may find nothing to do in a file.
type kind struct {
	what string
	of   place
	edit func(path string, r *rand.Rand) (done bool, err error)
}

// kinds returns all kinds, the common ones several times, so that they are drawn more often.
func kinds() []kind {
	return []kind{
		{"an operator", ofSources, swapOperator}, {"an operator", ofSources, swapOperator}, {"an operator", ofSources, swapOperator},
		{"a condition", ofSources, negate}, {"a condition", ofSources, negate},
		{"a number", ofSources, changeNumber}, {"a number", ofSources, changeNumber},
		{"a string", ofSources, changeString}, {"a string", ofSources, changeString},
		{"a deleted statement", ofSources, deleteStatement}, {"a deleted statement", ofSources, deleteStatement},
		{"a panic", ofSources, insertPanic}, {"a return", ofSources, insertReturn},
		{"lines at the top", ofSources, linesOnTop},
		{"an added function", ofSources, appended("\nfunc editedFunction() int { return 1 }\n")},
		{"an added variable", ofSources, appended("\nvar editedVariable = map[string]int{\"a\": 1}\n")},
		{"a syntax error", ofSources, appended("\nfunc (\n")},
		{"a removed file", ofSources, remove}, {"a renamed file", ofSources, rename},
		{"an operator of tests", ofTests, swapOperator}, {"a number of tests", ofTests, changeNumber}, {"a string of tests", ofTests, changeString},
		{"a deleted statement of tests", ofTests, deleteStatement}, {"lines at the top of tests", ofTests, linesOnTop},
		{"a renamed test", ofTests, renameTest}, {"a removed file of tests", ofTests, remove},
		{"an added test", ofTests, appended("\nfunc TestEditedNew(t *testing.T) { t.Fatal(\"it fails\") }\n")},
		{"changed data", ofData, changeData}, {"changed data", ofData, changeData}, {"removed data", ofData, remove}, {"added data", ofData, copyBeside},
		{"the version of the language", ofModule, changeVersion},
	}
}

func appended(text string) func(string, *rand.Rand) (bool, error) {
	return func(path string, _ *rand.Rand) (bool, error) {
		old, err := os.ReadFile(path)
		if err != nil {
			return false, err
		}
		return true, os.WriteFile(path, append(old, text...), 0o644)
	}
}

func remove(path string, _ *rand.Rand) (bool, error) { return true, os.Remove(path) }

func rename(path string, _ *rand.Rand) (bool, error) {
	return true, os.Rename(path, filepath.Join(filepath.Dir(path), "edited_"+filepath.Base(path)))
}

func copyBeside(path string, _ *rand.Rand) (bool, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return false, err
	}
	return true, os.WriteFile(filepath.Join(filepath.Dir(path), "edited_"+filepath.Base(path)), text, 0o644)
}

func changeData(path string, r *rand.Rand) (bool, error) {
	text, err := os.ReadFile(path)
	if err != nil || len(text) == 0 {
		return false, err
	}
	text[r.IntN(len(text))] ^= 1
	return true, os.WriteFile(path, text, 0o644)
}
