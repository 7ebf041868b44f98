package edit

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
)

func linesOnTop(path string, r *rand.Rand) (bool, error) {
	old, err := os.ReadFile(path)
	if err != nil {
		return false, err
	}
	return true, os.WriteFile(path, append([]byte("// Lines that\n// say nothing.\n\n"), old...), 0o644)
}

// testName matches a test at the beginning of a line.
var testName = regexp.MustCompile(`(?m)^func (Test\w+)\(`)

func renameTest(path string, r *rand.Rand) (bool, error) {
	old, err := os.ReadFile(path)
	if err != nil {
		return false, err
	}
	all := testName.FindAllSubmatchIndex(old, -1)
	if len(all) == 0 {
		return false, nil
	}
	at := all[r.IntN(len(all))][3]
	text := string(old[:at]) + "Edited" + string(old[at:])
	return true, os.WriteFile(path, []byte(text), 0o644)
}

// version matches the line of a module file with the language version.
var version = regexp.MustCompile(`(?m)^go 1\.(\d+).*$`)

func changeVersion(path string, _ *rand.Rand) (bool, error) {
	old, err := os.ReadFile(path)
	if err != nil {
		return false, err
	}
	found := version.FindSubmatch(old)
	if found == nil {
		return false, nil
	}
	minor, err := strconv.Atoi(string(found[1]))
	if err != nil {
		return false, err
	}
	return true, os.WriteFile(path, version.ReplaceAll(old, fmt.Appendf(nil, "go 1.%d", minor+1)), 0o644)
}

// ErrNotDeclared is the error of [Skip] for a test that no file declares in the usual form.
var ErrNotDeclared = errors.New("not declared in the usual form")

// Skip makes a test skip, wherever in a module it is declared.
func Skip(dir, test string) error {
	m, err := Open(dir)
	if err != nil {
		return err
	}
	head := regexp.MustCompile(`(?m)^func ` + regexp.QuoteMeta(test) + `\((\w+) \*testing\.T\) \{$`)
	for _, file := range m.tests {
		path := filepath.Join(dir, file)
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if changed := head.ReplaceAll(text, []byte("$0\n\t$1.SkipNow()")); len(changed) != len(text) {
			return os.WriteFile(path, changed, 0o644)
		}
	}
	return fmt.Errorf("test %s: %w", test, ErrNotDeclared)
}
