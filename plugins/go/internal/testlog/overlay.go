package testlog

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"strings"

	"github.com/proctorhq/proctor/plugins/go/internal/wholefile"
)

// EarlyVariable names the file in which a program that was built with [WriteOverlay] logs
// what it looks at before package testing does.
const EarlyVariable = "PROCTOR_EARLY_TEST_LOG"

//go:embed early.go.txt
var earlyLog []byte

// IsComplete reports whether a log was written by a program that was built with [WriteOverlay],
// and has all that it looked at before package testing began its own.
func IsComplete(log []byte) bool {
	return bytes.HasPrefix(log, []byte(header+"\n")) && bytes.Contains(log, []byte("\n# end\n"))
}

// CanReplace reports whether the log of a Go installation has the declarations of the one to
// replace it.
func CanReplace(goroot string) bool {
	theirs, err := os.ReadFile(logIn(goroot))
	return err == nil && declare(theirs) == declare(earlyLog)
}

func logIn(goroot string) string {
	return filepath.Join(goroot, "src", "internal", "testlog", "log.go")
}

// WriteOverlay writes to a directory, and returns the path of, what go's flag -overlay takes to
// build programs that log from their start. The log of package testing begins only when
// TestMain starts the tests. See also [CanReplace].
func WriteOverlay(dir, goroot string) (path string, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	ours := filepath.Join(dir, "log.go")
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {logIn(goroot): ours}})
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, "overlay.json")
	return path, errors.Join(replaceFile(ours, earlyLog), replaceFile(path, overlay))
}

// declare returns what a Go file exports; empty if it is none.
func declare(src []byte) string {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", src, parser.SkipObjectResolution)
	if err != nil {
		return ""
	}
	ast.FileExports(file)
	var text strings.Builder
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil {
				continue
			}
			d.Body = nil
		case *ast.GenDecl:
			if d.Tok == token.IMPORT {
				continue
			}
		}
		_ = printer.Fprint(&text, files, decl) // a builder takes everything
	}
	return text.String()
}

// replaceFile writes a file, unless it is so already: another index may be building with it.
func replaceFile(path string, data []byte) error {
	if is, err := os.ReadFile(path); err == nil && bytes.Equal(is, data) {
		return nil
	}
	return wholefile.WriteBytes(path, data)
}
