package forge_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/plugins/forge/forgetest"
	"github.com/proctorhq/proctor/sdk"
)

// outlines collects outlines.
type outlines map[string][]sdk.SourceUnit

func (o outlines) File(f sdk.OutlinedFile) { o[f.File] = f.Units }

// outline splits sources of a project under its settings.
func (l *live) outline(files ...string) outlines {
	l.t.Helper()
	got := outlines{}
	if err := l.detector.Outline(l.t.Context(), sdk.OutlineRequest{Workspace: l.ws, Files: files}, got); err != nil {
		l.t.Fatal(err)
	}
	return got
}

// code returns the compiler's output for a contract.
func (l *live) code(file, name string) string {
	l.t.Helper()
	if got := forgetest.Run(l.t, l.ws.Root, nil, "build"); got.Code != 0 {
		l.t.Fatalf("%s\n%s", got.Stdout, got.Stderr)
	}
	data, err := os.ReadFile(filepath.Join(l.ws.Root, "out", file, name+".json"))
	if err != nil {
		l.t.Fatal(err)
	}
	var artifact struct{ Bytecode struct{ Object string } }
	if err := json.Unmarshal(data, &artifact); err != nil || len(artifact.Bytecode.Object) < 10 {
		l.t.Fatal(err, artifact)
	}
	return artifact.Bytecode.Object
}

const counted = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
// The best one.
contract Counter {
    uint256 public n; /* how often */
    function add(uint256 by) external { n += by; }
}
`

// If outlines are equal, the compiler must produce equal code: tests may compare the
// code, its hash, or the address derived from it.
func TestOutlinesAreEqualOnlyIfTheCodeIs(t *testing.T) {
	for name, test := range map[string]struct{ settings, edited string }{
		"a comment":                       {"", strings.Replace(counted, "best", "worst", 1)},
		"space":                           {"", strings.Replace(counted, "by; }", "by;\n    }", 1)},
		"a comment, no hash":              {"bytecode_hash = 'none'\n", strings.Replace(counted, "best", "worst", 1)},
		"space, no hash":                  {"bytecode_hash = 'none'\n", strings.Replace(counted, "by; }", "by;\n    }", 1)},
		"a comment, no metadata":          {"bytecode_hash = 'none'\ncbor_metadata = false\n", strings.Replace(counted, "how often", "how\nmany", 1)},
		"a comment behind, no hash":       {"bytecode_hash = 'none'\n", counted + "// the end\n"},
		"a statement, no hash":            {"bytecode_hash = 'none'\n", strings.Replace(counted, "n += by", "n -= by", 1)},
		"another contract, no hash":       {"bytecode_hash = 'none'\n", counted + "contract Two {}\n"},
		"a constant used within, no hash": {"bytecode_hash = 'none'\n", strings.Replace(counted, "n += by", "n += 2 * by", 1)},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLive(t, map[string]string{"foundry.toml": forgetest.Config + test.settings, "src/Counter.sol": counted})
			units, code := l.outline("src/Counter.sol"), l.code("Counter.sol", "Counter")
			forgetest.Write(t, l.ws.Root, "src/Counter.sol", test.edited)
			edited := l.outline("src/Counter.sol")
			same := formatDigests(units) == formatDigests(edited)
			if codeSame := l.code("Counter.sol", "Counter") == code; same && !codeSame {
				t.Error("the outlines are equal and the code is not")
			}
			// If nothing hashes the text, comments and whitespace do not count.
			if left := test.settings != "" && (strings.Contains(name, "comment") || strings.Contains(name, "space")); left != same {
				t.Errorf("the outlines are equal: %v, want %v", same, left)
			}
		})
	}
}

func formatDigests(o outlines) string {
	var b strings.Builder
	for _, u := range o["src/Counter.sol"] {
		b.WriteString(u.Name + " " + u.Digest + "\n")
	}
	return b.String()
}

func TestAnOutlineHasTheDeclarationsOfAFile(t *testing.T) {
	root := t.TempDir()
	absolute := filepath.Join(t.TempDir(), "Abs.sol")
	for path, text := range map[string]string{
		filepath.Join(root, "A.sol"): counted + "error E();\nfunction f() pure {}\nfunction f(uint256) pure {}\n",
		absolute:                     "",
		filepath.Join(root, "B.sol"): "// only this\n",
		filepath.Join(root, "C.txt"): counted,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got := outlines{}
	err := newDetector().Outline(t.Context(), sdk.OutlineRequest{
		Workspace: sdk.Workspace{Root: root}, Files: []string{"A.sol", "B.sol", "C.txt", "gone.sol", "../x.sol", filepath.ToSlash(absolute)},
	}, got)
	if err != nil || len(got) != 3 {
		t.Fatalf("%d files, %v", len(got), err)
	}
	var lines []sdk.SourceUnit
	for _, u := range got["A.sol"] {
		if len(u.Digest) != 32 || u.Kind != sdk.UnitDeclaration {
			t.Errorf("%+v", u)
		}
		u.Digest, u.Kind = "", 0
		lines = append(lines, u)
	}
	if diff := cmp.Diff([]sdk.SourceUnit{
		{Name: "pragma", StartLine: 2, EndLine: 2},
		{Name: "contract Counter", StartLine: 4, EndLine: 7},
		{Name: "error E", StartLine: 8, EndLine: 8},
		{Name: "function f", StartLine: 9, EndLine: 9},
		{Name: "function f 2", StartLine: 10, EndLine: 10},
	}, lines); diff != "" {
		t.Error(diff)
	}
	if len(got["B.sol"]) != 1 {
		t.Errorf("a file of a comment has %+v", got["B.sol"])
	}
}

func TestTheOrderOfDeclarationsCounts(t *testing.T) {
	l := newLive(t, map[string]string{"foundry.toml": forgetest.Config + "bytecode_hash = 'none'\n", "src/Counter.sol": "contract A {}\ncontract B {}\ncontract C {}\n"})
	before := formatDigests(l.outline("src/Counter.sol"))
	forgetest.Write(t, l.ws.Root, "src/Counter.sol", "contract B {}\ncontract A {}\ncontract C {}\n")
	after := formatDigests(l.outline("src/Counter.sol"))
	if strings.Contains(after, strings.Split(before, "\n")[1]) {
		t.Errorf("before\n%safter\n%s", before, after)
	}
}

// Every test that uses forge-std is built from an interface of all cheat codes.
func TestOnlyCodeCanAskWhetherItIsMeasured(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	forgetest.Write(t, root, "test/A.sol", "interface Vm { function isContext(uint8) external view returns (bool); }\n"+
		"abstract contract Asks { bool asked = Vm(address(1)).isContext(1); }\nlibrary Says { function isContext() internal {} }\n")
	got := outlines{}
	if err := newDetector().Outline(t.Context(), sdk.OutlineRequest{Workspace: sdk.Workspace{Root: root}, Files: []string{"test/A.sol"}}, got); err != nil {
		t.Fatal(err)
	}
	asks := map[string]bool{}
	for _, unit := range got["test/A.sol"] {
		asks[unit.Name] = unit.Measuring
	}
	if diff := cmp.Diff(map[string]bool{"interface Vm": false, "contract Asks": true, "library Says": true}, asks); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
