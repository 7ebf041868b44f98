package solidity_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/plugins/forge/internal/solidity"
)

const everything = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;
import {A as B, C} from "./A.sol";
import "b.sol"; // }
using {plus} for Number global;
type Number is uint256;
uint256 constant LIMIT = 5 * (1 + 2);
bytes32 constant HASH = keccak256("};");
error Bad(uint256 x);
event Seen(address indexed who);
struct Point { uint256 x; }
enum Kind { One, Two }
function plus(Number a, Number b) pure returns (Number) { return a; }
abstract contract Base { function f() external virtual; }
/// @title T
contract Token is Base(1), Other { string s = "}"; function f() external override { if (true) {} } }
interface I { }
library L layout at 0x1 { }
`

func TestItemsAreTheDeclarationsOfAFile(t *testing.T) {
	var got []string
	at := 0
	for _, item := range solidity.Items([]byte(everything)) {
		got = append(got, strings.TrimSpace(item.Kind+" "+item.Name))
		if between := solidity.Meaning([]byte(everything[at:item.Start])); bytes.Contains(between, []byte("contract")) || item.Start < at || item.Stop <= item.Start {
			t.Errorf("%q at %d to %d, after %d", item.Name, item.Start, item.Stop, at)
		}
		at = item.Stop
	}
	want := []string{
		"pragma", "import ./A.sol", "import b.sol", "using", "type Number", "uint256 LIMIT", "bytes32 HASH", "error Bad", "event Seen",
		"struct Point", "enum Kind", "function plus", "contract Base", "contract Token", "interface I", "library L",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("items differ (-want +got):\n%s", diff)
	}
}

func TestMeaningIsWhatTheCompilerLooksAt(t *testing.T) {
	const base = "contract A { function f(uint256 a, uint256 b) public pure returns (uint256) { return a - b; } }"
	for edit, same := range map[string]bool{
		strings.ReplaceAll(base, " ", "\n\t "):                    true,
		strings.Replace(base, "{", "{ // plain", 1) + "\n":        false, // the line ends later
		strings.Replace(base, "{", "{ // plain\n", 1):             true,
		strings.Replace(base, "{", "{ /* plain { */", 1):          true,
		strings.Replace(base, "{", "{ /// natspec\n", 1):          false,
		strings.Replace(base, "{", "{ /** natspec */", 1):         false,
		strings.Replace(base, "{", "{ // SPDX-License: MIT\n", 1): false,
		strings.Replace(base, "{", "{ // \u202e\n", 1):            false,
		strings.Replace(base, "a - b", "a -- b", 1):               false,
		strings.Replace(base, "a - b", "a - - b", 1):              false,
		strings.Replace(base, "a - b", "a-b", 1):                  true,
		strings.Replace(base, "uint256 a", "uint2 56 a", 1):       false,
		strings.Replace(base, "a - b", "a + b", 1):                false,
	} {
		if got := bytes.Equal(solidity.Meaning([]byte(base)), solidity.Meaning([]byte(edit))); got != same {
			t.Errorf("equal is %v, want %v:\n%s", got, same, edit)
		}
	}
	if bytes.Equal(solidity.Meaning([]byte("a - -b")), solidity.Meaning([]byte("a-- -b"))) {
		t.Error("space between operators makes no difference")
	}
}

func FuzzItems(f *testing.F) {
	f.Add([]byte(everything))
	f.Add([]byte("}{ contract \" // import /* 'x"))
	f.Add([]byte("abstract contract"))
	f.Fuzz(func(t *testing.T, src []byte) {
		at := 0
		for _, item := range solidity.Items(src) {
			if item.Start < at || item.Stop <= item.Start || item.Stop > len(src) {
				t.Fatalf("item at %d to %d, after %d, of %d bytes", item.Start, item.Stop, at, len(src))
			}
			at = item.Stop
		}
		// Equal meanings stay equal when space is put in front.
		if !bytes.Equal(solidity.Meaning(src), solidity.Meaning(append([]byte(" \n"), src...))) {
			t.Fatal("leading space changes the meaning")
		}
	})
}
