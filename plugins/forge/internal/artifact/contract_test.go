package artifact_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/plugins/forge/forgetest"
	"github.com/proctorhq/proctor/plugins/forge/internal/artifact"
)

// compiled is a project that the real forge has built; see its README.
const compiled = "../declaration/testdata/project"

func TestAnArtifactOfTheRealForgeIsReadWhole(t *testing.T) {
	p := openProject(t, artifact.Config{Root: realPath(t, compiled), Out: "compiled", CachePath: "index"})
	c, err := p.Contract(t.Context(), "test/Inherits.t.sol", "Inherits")
	if err != nil {
		t.Fatal(err)
	}
	if c.Source != "test/Inherits.t.sol" || c.Name != "Inherits" || !c.Deployable {
		t.Errorf("%s:%s, deployable %v", c.Source, c.Name, c.Deployable)
	}
	if c.MethodIDs["setUp()"] != "0a9254e4" || len(c.Functions) != len(c.MethodIDs) {
		t.Errorf("methods %v, functions %v", c.MethodIDs, c.Functions)
	}
	if len(c.Sources) != 7 || c.Sources[c.SourceMap[0].Source] != "test/Inherits.t.sol" {
		t.Errorf("sources %v; the first instruction is of %d", c.Sources, c.SourceMap[0].Source)
	}
	first, last := c.SourceMap[0], len(c.SourceMap)-1
	if i, ok := c.Instruction(0); !ok || i != 0 || first.Length == 0 || first.Jump != '-' {
		t.Errorf("instruction %d, %v: %+v", i, ok, first)
	}
	if i, ok := c.Instruction(1); ok {
		t.Errorf("the data of a PUSH is instruction %d", i)
	}
	for _, pc := range []int{-1, len(c.Runtime), 1 << 40} {
		if _, ok := c.Instruction(pc); ok {
			t.Errorf("there is an instruction at %d", pc)
		}
	}
	if c.SourceMap[last].Start < 0 || len(c.Runtime) < 500 {
		t.Errorf("%d bytes, the last span is %+v", len(c.Runtime), c.SourceMap[last])
	}
}

func TestContractsWithTheSameNameAreDistinguished(t *testing.T) {
	for name, cache := range map[string]string{"by the index": "index", "by the metadata": "none"} {
		t.Run(name, func(t *testing.T) {
			p := openProject(t, artifact.Config{Root: realPath(t, compiled), Out: "compiled", CachePath: cache})
			for _, source := range []string{"test/Thing.t.sol", "test/b/Thing.t.sol"} {
				c, err := p.Contract(t.Context(), source, "Thing")
				if err != nil {
					t.Fatal(err)
				}
				if runs := strings.Contains(source, "/b/"); runs != (len(c.Runtime) > 110) {
					t.Errorf("%s has %d bytes of code", source, len(c.Runtime))
				}
			}
			if _, err := p.Contract(t.Context(), "test/c/Thing.t.sol", "Thing"); err == nil {
				t.Error("a third one")
			}
		})
	}
}

// openContract opens the contract of a project that has one artifact and nothing else.
func openContract(t *testing.T, text string) (*artifact.Contract, error) {
	t.Helper()
	root := t.TempDir()
	forgetest.Write(t, root, "out/T.sol/T.json", text)
	forgetest.Write(t, root, "cache/solidity-files-cache.json", `{"files":{"T.sol":{"artifacts":{"T":{"0.8.30":"T.sol/T.json"}}}}}`)
	return openProject(t, artifact.Config{Root: root}).Contract(t.Context(), "T.sol", "T")
}

func TestCodeThatIsNotLinkedYetHasZerosForAddresses(t *testing.T) {
	for name, placeholder := range map[string]string{
		"now": "__$" + strings.Repeat("a", 34) + "$__",
		"old": "__src/Lib.sol:Lib" + strings.Repeat("_", 23),
	} {
		c, err := openContract(t, `{"abi":[],"deployedBytecode":{"object":"0x73`+placeholder+`01"}}`)
		if err != nil || len(c.Runtime) != 22 || c.Runtime[21] != 1 || c.Runtime[20] != 0 {
			t.Errorf("%s: %x, %v", name, c.Runtime, err)
		}
	}
}

func TestASourceMapRepeatsWhatIsLeftOut(t *testing.T) {
	c, err := openContract(t, `{"abi":[],"deployedBytecode":{"object":"0x600101010101","sourceMap":"1:2:3:i:0;:9;;5::-1:o;x:99999999999999999999;7;8;9;10"}}`)
	want := []artifact.Span{
		{Start: 1, Length: 2, Source: 3, Jump: 'i'},
		{Start: 1, Length: 9, Source: 3, Jump: 'i'},
		{Start: 1, Length: 9, Source: 3, Jump: 'i'},
		{Start: 5, Length: 9, Source: -1, Jump: 'o'},
		{Start: -1, Length: -1, Source: -1, Jump: 'o'},
	}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, c.SourceMap); diff != "" {
		t.Error(diff)
	}
}

func TestSignaturesComeFromTheABI(t *testing.T) {
	c, err := openContract(t, `{"abi":[{"type":"constructor","inputs":[{"type":"bool"}]},{"type":"event","name":"test_e","inputs":[]},
		{"type":"function","name":"f","inputs":[{"type":"tuple[2][]","components":[{"type":"uint256"},{"type":"tuple","components":[]}]},{"type":"function"}]}],
		"bytecode":{"object":"0x60"}}`)
	if err != nil || len(c.Functions) != 1 || c.Functions[0].Signature != "f((uint256,())[2][],function)" || c.Deployable {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestDeployableIsWhatHasCodeAndNeedsNoArguments(t *testing.T) {
	for text, want := range map[string]bool{
		`{"abi":[],"bytecode":{"object":"0x6001"}}`:                                             true,
		`{"abi":[{"type":"constructor","inputs":[]}],"bytecode":{"object":"0x6001"}}`:           true,
		`{"abi":[],"bytecode":{"object":"0x"}}`:                                                 false,
		`{"abi":[]}`:                                                                            false,
		`{"abi":[{"type":"constructor","inputs":[{"type":"a"}]}],"bytecode":{"object":"0x60"}}`: false,
	} {
		if c, err := openContract(t, text); err != nil || c.Deployable != want {
			t.Errorf("%s: %+v, %v", text, c, err)
		}
	}
}

func TestWithoutAnIndexTheMetadataIdentifiesAnArtifact(t *testing.T) {
	for metadata, want := range map[string]bool{
		`"metadata":{"settings":{"compilationTarget":{"test/T.sol":"T"}}}`:                                true,
		`"metadata":"text","rawMetadata":"{\"settings\":{\"compilationTarget\":{\"test/T.sol\":\"T\"}}}"`: true,
		`"rawMetadata":"{\"settings\":{\"compilationTarget\":{\"other/T.sol\":\"T\"}}}"`:                  false,
		`"metadata":{"settings":{"compilationTarget":["test/T.sol"]}}`:                                    false,
		`"metadata":{"settings":{}}`: false,
		`"rawMetadata":""`:           false,
		`"id":1`:                     false,
	} {
		root := t.TempDir()
		forgetest.Write(t, root, "out/T.sol/T.json", `{"abi":[],`+metadata+`}`)
		_, err := openProject(t, artifact.Config{Root: root}).Contract(t.Context(), "test/T.sol", "T")
		if want != (err == nil) || !want && !errors.Is(err, artifact.ErrNotCompiled) {
			t.Errorf("%s: %v", metadata, err)
		}
	}
}

func TestADamagedArtifactIsAnErrorAndNoPanic(t *testing.T) {
	whole := `{"abi":[{"type":"function","name":"f","inputs":[]}],"bytecode":{"object":"0x60"},"deployedBytecode":{"object":"0x6001","sourceMap":"1:2:3:-"},"methodIdentifiers":{"f()":"26121ff0"},"id":3}`
	for i := range len(whole) {
		_, _ = openContract(t, whole[:i])
	}
	for _, text := range []string{"", "null", "[]", "{}", `{"abi":3}`, `{"abi":[],"deployedBytecode":{"object":"0x6"}}`,
		`{"abi":[],"deployedBytecode":{"object":"xyz!"}}`, `{"abi":[],"methodIdentifiers":[]}`, strings.Repeat("[", 100_000), `{"a":` + strings.Repeat("{\"a\":", 100_000)} {
		if c, err := openContract(t, text); err == nil {
			t.Errorf("%.40q: %+v", text, c)
		}
	}
}
