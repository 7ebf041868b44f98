package solcout_test

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/proctorhq/proctor/plugins/forge/internal/solcout"
)

func readReport(text string) solcout.Report {
	var s solcout.Scanner
	for line := range strings.Lines(text) {
		s.Line([]byte(strings.TrimSuffix(line, "\n")))
	}
	return s.Report()
}

func newPlace(file string, line, column int) solcout.Place {
	return solcout.Place{File: file, Line: line, Column: column}
}

func TestCompileErrorsOfAllVersionsAreRead(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []solcout.Diagnostic
	}{
		"today": {
			"Error: Compiler run failed:\nError (7576): Undeclared identifier.\n --> src/A.sol:3:75:\n  |\n3 | contract A is I\n  |               ^^^\n\nError (9582): Member \"call\" not found.\n  --> src/A.sol:10:9:\n   |\n10 |         x.call();\n   |         ^^^^^^\n",
			[]solcout.Diagnostic{
				{Severity: solcout.Error, Code: "7576", Message: "Undeclared identifier.", Place: newPlace("src/A.sol", 3, 75)},
				{Severity: solcout.Error, Code: "9582", Message: `Member "call" not found.`, Place: newPlace("src/A.sol", 10, 9)},
			},
		},
		"on standard output": {
			"Compiler run failed:\nError (3546): Expected type name\n --> src/A.sol:1:26:\n  |\n1 | contract A { function f( {}\n  |                          ^\n",
			[]solcout.Diagnostic{{Severity: solcout.Error, Code: "3546", Message: "Expected type name", Place: newPlace("src/A.sol", 1, 26)}},
		},
		"in colors": {
			"\x1b[31mError\x1b[0m: Compiler run failed:\n\x1b[1m\x1b[31mError (7576)\x1b[0m\x1b[1m: Undeclared identifier.\x1b[0m\n\x1b[34m --> \x1b[0msrc/A.sol:3:75:\r\n",
			[]solcout.Diagnostic{{Severity: solcout.Error, Code: "7576", Message: "Undeclared identifier.", Place: newPlace("src/A.sol", 3, 75)}},
		},
		"warnings first": {
			"Error: Compiler run failed:\nWarning (2072): Unused local variable.\n --> src/A.sol:2:45:\n  |\n2 | x\n  | ^\n\nError (7576): Undeclared identifier.\n --> src/A.sol:3:75:\n",
			[]solcout.Diagnostic{{Severity: solcout.Error, Code: "7576", Message: "Undeclared identifier.", Place: newPlace("src/A.sol", 3, 75)}},
		},
		"warnings denied": {
			"Error: Compiler run failed:\nWarning (2072): Unused local variable.\n --> src/A.sol:2:45:\n  |\n2 | x\n  | ^\n\nWarning (1878): SPDX license identifier not provided in source file.\n--> src/B.sol\n",
			[]solcout.Diagnostic{
				{Severity: solcout.Warning, Code: "2072", Message: "Unused local variable.", Place: newPlace("src/A.sol", 2, 45)},
				{Severity: solcout.Warning, Code: "1878", Message: "SPDX license identifier not provided in source file.", Place: newPlace("src/B.sol", 0, 0)},
			},
		},
		"stack too deep": {
			"Error: Compiler run failed:\nError: Compiler error (/solidity/libsolidity/codegen/LValue.cpp:54): Stack too deep. Try compiling with `--via-ir`.\n  --> test/A.t.sol:16:12:\n   |\n16 | uint a13 = x+13;\n   |            ^\n",
			[]solcout.Diagnostic{{Severity: solcout.Error, Message: "Compiler error (/solidity/libsolidity/codegen/LValue.cpp:54): Stack too deep. Try compiling with `--via-ir`.", Place: newPlace("test/A.t.sol", 16, 12)}},
		},
		"stack too deep, no place": {
			"Error: Compiler run failed:\nCompilerError: Stack too deep.\n",
			[]solcout.Diagnostic{{Severity: solcout.Error, Message: "Stack too deep."}},
		},
		"second place": {
			"Error: Compiler run failed:\nError (2333): Identifier already declared.\n --> src/A.sol:5:5:\n  |\n5 |     uint x;\n  |     ^^^^^^\nNote: The previous declaration is here:\n --> src/A.sol:4:5:\n  |\n4 |     uint x;\n  |     ^^^^^^\n",
			[]solcout.Diagnostic{{Severity: solcout.Error, Code: "2333", Message: "Identifier already declared.", Place: newPlace("src/A.sol", 5, 5),
				Notes: []solcout.Note{{Message: "The previous declaration is here:", Place: newPlace("src/A.sol", 4, 5)}}}},
		},
		"several lines": {
			"Error: Compiler run failed:\nError (3656): Contract \"A\" should be marked as abstract.\nMissing: f()\n --> src/A.sol:4:1:\n",
			[]solcout.Diagnostic{{Severity: solcout.Error, Code: "3656", Message: "Contract \"A\" should be marked as abstract.\nMissing: f()", Place: newPlace("src/A.sol", 4, 1)}},
		},
		"the first releases": {
			"Error: \n   0: Compiler run failed\n      error[7576]: DeclarationError: Undeclared identifier.\n",
			nil, // taken as forge's own message below
		},
		"error[code]": {
			"Compiler run failed\nerror[7576]: Undeclared identifier.\n --> src/A.sol:3:75:\n",
			[]solcout.Diagnostic{{Severity: solcout.Error, Code: "7576", Message: "Undeclared identifier.", Place: newPlace("src/A.sol", 3, 75)}},
		},
		"solc 0.4": {
			"src/A.sol:3:75: Error: Undeclared identifier.\n  uint x = y;\n           ^\nsrc/A.sol:4:1: ParserError: Expected token Semicolon\n}\n^\n",
			[]solcout.Diagnostic{
				{Severity: solcout.Error, Message: "Undeclared identifier.", Place: newPlace("src/A.sol", 3, 75)},
				{Severity: solcout.Error, Message: "Expected token Semicolon", Place: newPlace("src/A.sol", 4, 1)},
			},
		},
		"solc 0.5": {
			"ParserError: Expected ';' but got '}'\n --> src/A.sol:4:1:\n  |\n4 | }\n  | ^\n",
			[]solcout.Diagnostic{{Severity: solcout.Error, Message: "Expected ';' but got '}'", Place: newPlace("src/A.sol", 4, 1)}},
		},
		"a file with colons and spaces": {
			"Error (7576): Undeclared identifier.\n --> src/we ird:1.sol:3:75:\n",
			[]solcout.Diagnostic{{Severity: solcout.Error, Code: "7576", Message: "Undeclared identifier.", Place: newPlace("src/we ird:1.sol", 3, 75)}},
		},
		"said twice": {
			"Error (1): same\n --> a.sol:1:1:\n\nError (1): same\n --> a.sol:1:1:\n",
			[]solcout.Diagnostic{{Severity: solcout.Error, Code: "1", Message: "same", Place: newPlace("a.sol", 1, 1)}},
		},
	} {
		if got := readReport(c.text).Blocking(); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\n got %+v\nwant %+v", name, got, c.want)
		}
	}
}

func TestForgesOwnErrorsAreNoDiagnostics(t *testing.T) {
	for text, want := range map[string][]string{
		"Error: can't install missing solc 0.8.99 in offline mode\n": {"can't install missing solc 0.8.99 in offline mode"},
		"Error: could not instantiate forked environment\n\nContext:\n- Error #0: error sending request\n- Error #1: Connection refused (os error 111)\n": {
			"could not instantiate forked environment\n\nContext:\n- Error #0: error sending request\n- Error #1: Connection refused (os error 111)"},
		"error: unexpected argument '--nope' found\n\n  tip: a similar argument exists\n\nUsage: forge test\n\nFor more information, try '--help'.\n": {
			"unexpected argument '--nope' found\n\n  tip: a similar argument exists\n\nUsage: forge test\n\nFor more information, try '--help'."},
		"Error: failed to extract foundry config:\nfoundry.toml error: TOML parse error at line 1, column 9\n  |\n1 | [profile\n  |         ^\nunclosed table, expected `]`\n": {
			"failed to extract foundry config:\nfoundry.toml error: TOML parse error at line 1, column 9\n  |\n1 | [profile\n  |         ^\nunclosed table, expected `]`"},
		"Error: Compilation failed\n": {"Compilation failed"},
		"The application panicked (crashed).\nMessage:  boom\nLocation: x.rs:3\n":          {"The application panicked (crashed).\nMessage:  boom\nLocation: x.rs:3"},
		"thread 'main' panicked at crates/x.rs:1:2:\nboom\n":                               {"thread 'main' panicked at crates/x.rs:1:2:\nboom"},
		"plain text\n{\"event\":\"failure\"}\n2026-01-01T00:00:00.0Z  WARN x: y\n":         nil,
		"Error: one\n{\"event\":\"failure\"}\nError: two\n2026-01-01T00:00:00.0Z WARN z\n": {"one", "two"},
	} {
		got := readReport(text)
		if !reflect.DeepEqual(got.Errors, want) || len(got.Diagnostics) > 0 {
			t.Errorf("%q:\n got %q and %+v\nwant %q", text, got.Errors, got.Diagnostics, want)
		}
	}
}

func TestForgesWarningsAreNoCompileErrors(t *testing.T) {
	got := readReport("Warning: Found unknown config section in foundry.toml: [foo]\nWarning: no tests match the provided pattern:\n\tmatch-test: `zzz`\n")
	want := []string{"Found unknown config section in foundry.toml: [foo]", "no tests match the provided pattern:\n\tmatch-test: `zzz`"}
	if !reflect.DeepEqual(got.Warnings, want) || len(got.Errors)+len(got.Blocking()) > 0 {
		t.Errorf("got %+v", got)
	}
}

func TestWhatIsReadIsBounded(t *testing.T) {
	var b strings.Builder
	for range 3000 {
		b.WriteString("Error (1): " + strings.Repeat("x", b.Len()%97) + "\nmore\n --> a.sol:1:" + strings.Repeat("9", b.Len()%7+1) + ":\n")
		b.WriteString("Error: " + strings.Repeat("y", b.Len()%5000) + "\n" + strings.Repeat("z\n", 20))
	}
	got := readReport(b.String())
	if len(got.Diagnostics) > 500 || len(got.Errors) > 50 || got.Omitted == 0 {
		t.Errorf("%d diagnostics, %d errors, %d omitted", len(got.Diagnostics), len(got.Errors), got.Omitted)
	}
	long := readReport("Error: " + strings.Repeat("a", 1<<20) + "\n" + strings.Repeat("b\n", 1<<20))
	if len(long.Errors) != 1 || len(long.Errors[0]) > 32<<10 {
		t.Errorf("%d errors", len(long.Errors))
	}
}

func FuzzLinesAreReadWithoutHarm(f *testing.F) {
	f.Add("Error: Compiler run failed:\nError (1): x\n --> a:1:2:\n  |\nNote: n\n --> b:3:4:\n")
	f.Add("a: b:3:4: Error: x\n\x1b[31mError\x1b]0;t\n\x1b")
	f.Add("Error (: x\nError [1]: y\n-->\n --> :1:\n")
	f.Fuzz(func(t *testing.T, text string) {
		got := readReport(text)
		for _, d := range got.Diagnostics {
			if !utf8.ValidString(d.Message+d.Place.File) || d.Message == "" || d.Place.Line < 0 || d.Place.Column < 0 {
				t.Fatalf("%+v", d)
			}
		}
	})
}
