package solidity_test

import (
	"fmt"
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/plugins/forge/internal/solidity"
)

// newProgram builds a program of sources by path. An import that does not begin with a dot
// names one of them.
func newProgram(sources map[string]string) *solidity.Program {
	files := map[string]*solidity.File{}
	for name, text := range sources {
		files[name] = solidity.Parse([]byte(text))
	}
	load := func(name string) (*solidity.File, bool) { f, ok := files[name]; return f, ok }
	return solidity.NewProgram(load, func(from, imported string) (string, bool) {
		if strings.HasPrefix(imported, ".") {
			return path.Join(path.Dir(from), imported), true
		}
		return imported, true
	})
}

func TestBasesAreSearchedAsTheCompilerDoesIt(t *testing.T) {
	for _, c := range []struct {
		name, source string
		want         string
	}{
		{"a diamond asks the shared base last", "contract A{} contract B is A{} contract C is A{} contract T is B, C{}", "T C B A"},
		{"the last base comes first", "contract A{} contract B{} contract T is A, B{}", "T B A"},
		{"deep", "contract A{} contract B is A{} contract C is B{} contract D is A{} contract T is D, C{}", "T C B D A"},
		{"a circle ends", "contract A is T{} contract T is A{}", "T A"},
		{"itself", "contract T is T{}", "T"},
		{"an order that cannot be", "contract A{} contract B is A{} contract T is B, A{}", "T A B"},
		{"a missing base is left out", "contract A{} contract T is Gone, A{}", "T A"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var names []string
			for _, ref := range newProgram(map[string]string{"t.sol": c.source}).Linearize(solidity.Ref{Path: "t.sol", Name: "T"}) {
				names = append(names, ref.Name)
			}
			if got := strings.Join(names, " "); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

func TestBasesAreFoundThroughEveryFormOfImport(t *testing.T) {
	p := newProgram(map[string]string{
		"test/t.sol": `import "../lib/all.sol"; import {Old as New} from "lib/named.sol"; import * as M from "lib/mod.sol"; import "lib/mod.sol" as N;
			contract T is Plain, Passed, New, M.Star, N.Also {} contract Old {}`,
		"lib/all.sol":   `import "./more.sol"; contract Plain {}`,
		"lib/more.sol":  `import "./all.sol"; contract Passed {}`,
		"lib/named.sol": `contract Old {} contract New {}`,
		"lib/mod.sol":   `contract Star {} contract Also {}`,
	})
	got := fmt.Sprint(p.Linearize(solidity.Ref{Path: "test/t.sol", Name: "T"}))
	want := "[{test/t.sol T} {lib/mod.sol Also} {lib/mod.sol Star} {lib/named.sol Old} {lib/more.sol Passed} {lib/all.sol Plain}]"
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

func TestTypesAreCanonicalizedAsInSignatures(t *testing.T) {
	p := newProgram(map[string]string{
		"t.sol": `import "o.sol"; import "o.sol" as O;
			uint constant TOP = 4; struct Outer { uint a; Kind[2] k; Inner i; } enum Kind { A } struct Inner { bytes b; T t; }
			contract Base { uint constant LOW = 0x10; type Id is bytes32; struct In { Id id; } }
			contract T is Base { uint constant SUM = 1 + 2; struct Loop { Loop[] more; } }`,
		"o.sol": `struct Far { int8 x; } library L { enum E { A } } uint constant FAR = 7;`,
	})
	for written, want := range map[string]string{
		"uint": "uint256", "int": "int256", "byte": "bytes1", "address": "address", "bytes32": "bytes32", "uint8[]": "uint8[]",
		"uint[1_0][0x0a][]": "uint256[10][10][]", "function": "function", "T": "address", "Base[]": "address[]", "Kind": "uint8",
		"Id": "bytes32", "In": "(bytes32)", "Base.In[3]": "(bytes32)[3]", "Outer": "(uint256,uint8[2],(bytes,address))",
		"Far": "(int8)", "O.Far": "(int8)", "L.E": "uint8", "O.L.E[]": "uint8[]",
		"uint[TOP]": "uint256[4]", "uint[LOW]": "uint256[16]", "uint[FAR]": "uint256[7]", "uint[O.FAR]": "uint256[7]",
		"uint[SUM]": "", "uint[1+1]": "", "Gone": "", "Loop": "", "uint[": "", "": "", "O.Gone": "", "TOP": "",
	} {
		got, ok := p.Canonical(solidity.Ref{Path: "t.sol", Name: "T"}, written)
		if ok != (want != "") || got != want && ok {
			t.Errorf("%q is %q (%v), want %q", written, got, ok, want)
		}
	}
}

func TestStructsThatGrowWithoutEndAreGivenUp(t *testing.T) {
	var b strings.Builder
	b.WriteString("struct S0 { uint a; }")
	for i := range 60 {
		fmt.Fprintf(&b, "struct S%d { S%d a; S%d b; }", i+1, i, i)
	}
	if got, ok := newProgram(map[string]string{"t.sol": b.String()}).Canonical(solidity.Ref{Path: "t.sol"}, "S60"); ok {
		t.Errorf("a signature of %d bytes", len(got))
	}
}

func TestManyBasesTakeNoLongTime(t *testing.T) {
	var b strings.Builder
	for i := range 1_000 {
		fmt.Fprintf(&b, "contract C%d is ", i)
		for j := range 90 {
			fmt.Fprintf(&b, "C%d,", max(0, i-1-j))
		}
		b.WriteString("Gone { function f(C1 a, S b) public {} }\n")
	}
	p := newProgram(map[string]string{"t.sol": b.String()})
	if got := p.Linearize(solidity.Ref{Path: "t.sol", Name: "C30"}); len(got) != 31 {
		t.Errorf("%d contracts", len(got))
	}
	for i := range 1_000 {
		p.Declaration(solidity.Ref{Path: "t.sol", Name: fmt.Sprintf("C%d", i)}, "f(address,uint256)")
	}
}

func TestACallReachesTheMostDerivedFunctionOfItsSignature(t *testing.T) {
	source := `enum Kind { A }
contract A { function f() public virtual {} function g(uint) public {} uint public v; function p() private {} function z(uint[TWO+1] memory a) public {} }
interface J { function f() external; }
contract B is A, J { function f() public override(A, J) {} function g(bool) public {} function p() public {} function k(Kind, A) external {} }
contract T is B {
  function g(uint, uint) public {}
  mapping(uint => Kind) public m;
  function q() internal {}
  function u() public virtual;
  constructor(uint a) {}
}`
	p := newProgram(map[string]string{"t.sol": source})
	for signature, want := range map[string]string{
		"f()": "B", "g(uint256)": "A", "g(bool)": "B", "g(uint256,uint256)": "T", "v()": "A", "m(uint256)": "T", "p()": "B",
		"k(uint8,address)": "B", "z(uint256[3])": "A", "constructor()": "T",
		"q()": "", "u()": "", "g()": "", "v(uint256)": "", "k(address,uint8)": "", "z(uint256)": "", "f": "", "": "", "f(": "",
	} {
		d, ok := p.Declaration(solidity.Ref{Path: "t.sol", Name: "T"}, signature)
		if ok != (want != "") || d.Ref.Name != want {
			t.Errorf("%s is declared in %q (%v), want %q", signature, d.Ref.Name, ok, want)
		}
	}
}

func TestMethodsOfAContractAreThoseThatCanBeCalled(t *testing.T) {
	p := newProgram(map[string]string{"t.sol": `
		contract A { function test_a() public virtual {} function test_b(uint) external {} function test_c() internal {} }
		contract T is A { function test_a() public override {} bool public testGetter; function test_d(Gone) public {} function setUp() public {} }`})
	methods, all := p.Methods(solidity.Ref{Path: "t.sol", Name: "T"}, func(name string) bool { return strings.HasPrefix(name, "test") })
	var got []string
	for _, m := range methods {
		got = append(got, m.Declaration.Ref.Name+"."+m.Signature)
	}
	if diff := cmp.Diff([]string{"T.test_a()", "T.testGetter()", "A.test_b(uint256)"}, got); diff != "" || all {
		t.Errorf("all %v\n%s", all, diff)
	}
}

func TestASignatureIsCutAtItsOwnCommas(t *testing.T) {
	for signature, want := range map[string]string{
		"f()":                              "f [] true",
		"f(uint256,(bool,address)[],bool)": "f [uint256 (bool,address)[] bool] true",
		"f(":                               " [] false",
		"f":                                " [] false",
		"()":                               " [] false",
		"f((a)":                            "f [(a] false",
	} {
		name, params, ok := solidity.SplitSignature(signature)
		if got := fmt.Sprint(name, " ", params, " ", ok); got != want {
			t.Errorf("%q: %s, want %s", signature, got, want)
		}
	}
}

func TestADeclarationIsRecognizedAtItsOffset(t *testing.T) {
	src := []byte("x function /* a */ test_a\n(uint a, bool) public {} functional(); uint public testGetter = 3; function () public {}")
	at := func(word string) int { return strings.Index(string(src), word) }
	if f, ok := solidity.FunctionAt(src, at("function /*")); !ok || f.Name != "test_a" || len(f.Params) != 2 {
		t.Errorf("%+v, %v", f, ok)
	}
	for name, offset := range map[string]int{"the middle of a word": 3, "another word": 0, "a longer word": at("functional"), "no name": at("function ()"), "before": -1, "behind": len(src)} {
		if f, ok := solidity.FunctionAt(src, offset); ok {
			t.Errorf("%s is taken for %+v", name, f)
		}
	}
	start := at("uint public")
	if v, ok := solidity.VariableAt(src, start, start+len("uint public testGetter = 3")); !ok || v.Name != "testGetter" || !v.Public || v.Offset != start {
		t.Errorf("%+v, %v", v, ok)
	}
	if v, ok := solidity.VariableAt(src, 5, 2); ok {
		t.Errorf("a range that ends before it begins is taken for %+v", v)
	}
}

func BenchmarkParse(b *testing.B) {
	src := []byte(strings.Repeat(sample, 500))
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		solidity.Parse(src)
	}
}

// largeSources returns a source with so many declarations of each kind that a linear
// search for every name would show.
func largeSources(n int) map[string]string {
	var types, methods, constants, imports strings.Builder
	for i := range n {
		fmt.Fprintf(&types, "struct S%d { uint a; }\n", i)
		fmt.Fprintf(&constants, "uint constant N%d = %d;\n", i, i+1)
		fmt.Fprintf(&imports, ",E%d as I%d", i, i)
		fmt.Fprintf(&methods, "function test_%d(S%d s, T%d t, uint[N%d] c, uint[M%d] d, I%d e) public {}\n", i, i, i, i, i, i)
	}
	return map[string]string{
		"all.sol": strings.ReplaceAll(types.String(), "struct S", "struct E"),
		"t.sol": "import {" + imports.String()[1:] + "} from 'all.sol';" + strings.ReplaceAll(types.String(), "struct S", "struct T") +
			strings.ReplaceAll(constants.String(), "N", "M") + "contract T {" + types.String() + constants.String() + methods.String() + "}",
	}
}

// lookAmong looks up each of n names of one contract.
func lookAmong(t testing.TB, p *solidity.Program, n int) {
	contract := solidity.Ref{Path: "t.sol", Name: "T"}
	methods, all := p.Methods(contract, func(name string) bool { return strings.HasPrefix(name, "test") })
	if len(methods) != n || !all || methods[n-1].Signature != fmt.Sprintf("test_%d((uint256),(uint256),uint256[%d],uint256[%d],(uint256))", n-1, n, n) {
		t.Fatalf("%d of %d, all %v", len(methods), n, all)
	}
	for _, m := range methods {
		if d, ok := p.Declaration(contract, m.Signature); !ok || d != m.Declaration {
			t.Fatalf("%s is declared at %+v, %v", m.Signature, d, ok)
		}
	}
}

func TestNamesAmongManyAreFound(t *testing.T) { lookAmong(t, newProgram(largeSources(500)), 500) }

// Eight times as many names should take eight times as long, not sixty-four times.
func BenchmarkNamesAmongMany(b *testing.B) {
	for _, n := range []int{500, 4_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				p := newProgram(largeSources(n))
				b.StartTimer()
				lookAmong(b, p, n)
			}
		})
	}
}

func TestTooManyInheritedMethodsAreGivenUp(t *testing.T) {
	var b strings.Builder
	b.WriteString("contract B {")
	for i := range 5_000 {
		fmt.Fprintf(&b, "function test%d() public {}\n", i)
	}
	b.WriteString("}\n")
	for i := range 200 {
		fmt.Fprintf(&b, "contract C%d is B {}\n", i)
	}
	p := newProgram(map[string]string{"t.sol": b.String()})
	found, given := 0, 0
	for i := range 200 {
		methods, all := p.Methods(solidity.Ref{Path: "t.sol", Name: fmt.Sprintf("C%d", i)}, func(string) bool { return true })
		if found += len(methods); !all {
			given++
		} else if len(methods) != 5_000 {
			t.Fatalf("complete with only %d methods", len(methods))
		}
	}
	if found > 500_000 || found < 100_000 || given == 0 || given == 200 {
		t.Errorf("found %d methods of %d contracts", found, given)
	}
}
