package artifact

import (
	"os"
	"testing"
)

func FuzzContract(f *testing.F) {
	text, err := os.ReadFile("../declaration/testdata/project/compiled/Thing.t.sol/Thing.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"abi":[{"type":"tuple","inputs":[{"type":"tuple","components":[]}]}],"deployedBytecode":{"object":"0x__$$__60","sourceMap":";;1:2:3:i"},"id":"x"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := parseContract(data, "T.sol", "T")
		if err == nil && len(c.SourceMap) > len(c.Runtime) {
			t.Errorf("%d spans for %d bytes of code", len(c.SourceMap), len(c.Runtime))
		}
	})
}

func FuzzIndex(f *testing.F) {
	f.Add([]byte(`{"files":{"a":{"imports":["b"],"artifacts":{"C":{"0.8.1":{"default":{"path":"p","build_id":"b"}}}}}}}`))
	f.Add([]byte(`{"files":{"/r/../a":{"artifacts":{"C":{"":"p"}}}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		files, ok := parseIndex(data, "/r")
		if ok != (files != nil) {
			t.Errorf("%v, %v", files, ok)
		}
		parseNumbering(data, "/r")
	})
}
