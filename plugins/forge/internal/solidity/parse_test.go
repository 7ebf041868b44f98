package solidity_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/plugins/forge/internal/solidity"
)

const sample = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
/* contract Hidden { function test_hidden() public {} } */
import "./Plain.sol";
import {A as B, C} from "dep/Named.sol";
import * as M from 'm.sol';
import "n.sol" as N;
uint constant SIZE = 0x1_0;
enum Kind { One, Two }
type Id is uint64;
struct P { uint a; Kind[] k; mapping(uint => P) m; }
error Odd(uint a);
event Seen(address indexed who);
using {add as +} for Id global;
function free(uint a) pure returns (uint) { return a; }
interface I is M.X, N.Y { function test_unimplemented(uint) external; }
library L { function lib(uint[] storage a) internal {} }
abstract contract Base { constructor(uint a) { } function f() public virtual; }
contract T layout at 0x10 is Base(1), B, M.X {
    string s = "contract Quoted { function test_quoted() public {} } // \" {";
    bytes u = hex"00" "'" ;
    mapping(address owner => mapping(uint => bool)) public seen;
    P[][3] public list;
    uint public constant N = 1_000;
    function (uint) external returns (bool) public callback;
    address payable public to;
    modifier only(uint a) { if (a > 0) { _; } }
    event Inner(uint a);
    struct Q { uint a; }
    constructor(uint a, uint b) Base(a) only(b) payable {}
    receive() external payable {}
    fallback() external {}
    // function test_commented() public {}
    function test_one() public /* { */ view override(B, C) returns (uint) { if (true) { string memory x = '}'; } }
    function test_many(uint a, address payable b, Kind, M.S[SIZE][] calldata c, function (uint) external returns (bool) f)
        external only(1) {}
    function hidden() internal {} function secret() private {}
    function old(uint) {}
    function test_last() public { assembly { let x := "}" } }
}
contract After { function test_after() public {} }
`

func TestASourceYieldsWhatItDeclares(t *testing.T) {
	f := solidity.Parse([]byte(sample))
	var got []string
	for _, imp := range f.Imports {
		got = append(got, fmt.Sprintf("import %s as %q %v", imp.Path, imp.Alias, imp.Symbols))
	}
	for _, v := range f.Constants {
		got = append(got, "constant "+v.Name+" = "+v.Value)
	}
	for _, ty := range f.Types {
		got = append(got, fmt.Sprintf("type %s %d %v", ty.Name, ty.Kind, ty.Of))
	}
	for _, c := range f.Contracts {
		got = append(got, fmt.Sprintf("%s %s abstract=%v is %v, line %d", c.Kind, c.Name, c.Abstract, c.Bases, lineOf(c.Offset)))
		for _, v := range c.Variables {
			got = append(got, fmt.Sprintf("  variable %s %v public=%v value=%q, line %d", v.Name, v.Getter, v.Public, v.Value, lineOf(v.Offset)))
		}
		for _, fn := range c.Functions {
			got = append(got, fmt.Sprintf("  %s(%s) %s body=%v pure=%v, line %d",
				fn.Name, strings.Join(fn.Params, ","), fn.Visibility, fn.Implemented, fn.Pure, lineOf(fn.Offset)))
		}
		for _, ty := range c.Types {
			got = append(got, fmt.Sprintf("  type %s %d %v", ty.Name, ty.Kind, ty.Of))
		}
	}
	want := []string{
		`import ./Plain.sol as "" []`,
		`import dep/Named.sol as "" [{A B} {C C}]`,
		`import m.sol as "M" []`,
		`import n.sol as "N" []`,
		`constant SIZE = 0x1_0`,
		`type Kind 2 []`,
		`type Id 3 [uint64]`,
		`type P 1 [uint Kind[] mapping]`,
		`interface I abstract=false is [M.X N.Y], line 16`,
		`  test_unimplemented(uint) external body=false pure=false, line 16`,
		`library L abstract=false is [], line 17`,
		`  lib(uint[]) internal body=true pure=false, line 17`,
		`contract Base abstract=true is [], line 18`,
		`  constructor(uint)  body=true pure=false, line 18`,
		`  f() public body=false pure=false, line 18`,
		`contract T abstract=false is [Base B M.X], line 19`,
		`  variable s [] public=false value="", line 20`,
		`  variable u [] public=false value="", line 21`,
		`  variable seen [address uint] public=true value="", line 22`,
		`  variable list [uint256 uint256] public=true value="", line 23`,
		`  variable N [] public=true value="1_000", line 24`,
		`  variable to [] public=true value="", line 26`,
		`  constructor(uint,uint)  body=true pure=false, line 30`,
		`  test_one() public body=true pure=true, line 34`,
		`  test_many(uint,address,Kind,M.S[SIZE][],function) external body=true pure=false, line 35`,
		`  hidden() internal body=true pure=false, line 37`,
		`  secret() private body=true pure=false, line 37`,
		`  old(uint)  body=true pure=false, line 38`,
		`  test_last() public body=true pure=false, line 39`,
		`  type Q 1 [uint]`,
		`contract After abstract=false is [], line 41`,
		`  test_after() public body=true pure=false, line 41`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func lineOf(offset int) int { return 1 + strings.Count(sample[:offset], "\n") }

func TestASourceCutAnywhereIsReadToItsEnd(t *testing.T) {
	for i := range sample {
		solidity.Parse([]byte(sample[:i]))
		solidity.Parse([]byte(sample[i:]))
	}
}

func TestReadingTakesLinearTime(t *testing.T) {
	for name, piece := range map[string]string{
		"braces":    "{",
		"closing":   "}",
		"mappings":  "contract C { mapping(",
		"comments":  "/*",
		"quotes":    "\"\n",
		"functions": "contract C { function f(",
		"bases":     "contract C is A,",
		"suffixes":  "contract C { uint[",
		"structs":   "struct S {",
	} {
		t.Run(name, func(t *testing.T) {
			solidity.Parse([]byte(strings.Repeat(piece, 2<<20/len(piece))))
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(sample))
	for _, odd := range []string{"", "contract", "contract C is", "import {a as", "\x00\xff", "contract C{mapping(a=>", "function f(", "type X is"} {
		f.Add([]byte(odd))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		file := solidity.Parse(src)
		for _, c := range file.Contracts {
			if c.Offset < 0 || c.Offset >= len(src) || c.Name == "" {
				t.Errorf("contract %q at %d of %d", c.Name, c.Offset, len(src))
			}
			for _, fn := range c.Functions {
				if fn.Offset < c.Offset || fn.Offset >= len(src) {
					t.Errorf("function %q at %d of %d", fn.Name, fn.Offset, len(src))
				}
			}
		}
	})
}
