package trace

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/proctorhq/proctor/sdk"
)

// slimDocument writes one test of a document, with only those members that are read.
func slimDocument(t testing.TB, document []byte, suite, name string) []byte {
	t.Helper()
	type call struct {
		Parent   *int  `json:"parent"`
		Children []int `json:"children"`
		Index    int   `json:"idx"`
		Trace    struct {
			Success bool   `json:"success"`
			Address string `json:"address"`
			Kind    string `json:"kind"`
			Data    string `json:"data"`
			Output  string `json:"output"`
			Gas     int    `json:"gas_used"`
			Steps   []struct {
				PC int `json:"pc"`
				Op int `json:"op"`
			} `json:"steps"`
		} `json:"trace"`
		Ordering []json.RawMessage `json:"ordering"`
	}
	type test struct {
		Status string              `json:"status"`
		Reason *string             `json:"reason"`
		Kind   json.RawMessage     `json:"kind"`
		Traces [][]json.RawMessage `json:"traces"`
	}
	type results struct {
		Tests map[string]*test `json:"test_results"`
	}
	var suites map[string]results
	if err := json.Unmarshal(document, &suites); err != nil {
		t.Fatal(err)
	}
	one := suites[suite].Tests[name]
	for _, pair := range one.Traces {
		var box struct {
			Arena []call `json:"arena"`
		}
		if err := json.Unmarshal(pair[1], &box); err != nil {
			t.Fatal(err)
		}
		if string(pair[0]) == `"Deployment"` {
			for i := range box.Arena {
				box.Arena[i].Trace.Data = ""
			}
		}
		text, err := json.Marshal(box)
		if err != nil {
			t.Fatal(err)
		}
		pair[1] = text
	}
	text, err := json.Marshal(map[string]results{suite: {Tests: map[string]*test{name: one}}})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// No document causes a panic or is read differently in pieces, and every reported place
// is in a file of the project.
func FuzzParser(f *testing.F) {
	root, document := copyRecorded(f)
	cfg := configOf(root)
	small := slimDocument(f, document, "test/Ds.t.sol:DsTest", "testDsFail()")
	if len(locateFailures(f, cfg, small, len(small))) != 1 {
		f.Fatal("the seed's failure is not located")
	}
	f.Add(small, 100)
	f.Add([]byte(`{"test/Ds.t.sol:DsTest":{"test_results":{"testDsEq()":{"status":"Failure","reason":null,"kind":{"Unit":{"gas":1}},"traces":[`+
		`["Deployment",{"arena":[{"parent":null,"children":[],"idx":0,"trace":{"success":true,"address":"0x1","kind":"CREATE","data":"0x00","output":"0x00","gas_used":1,"steps":[]},"ordering":[]}]}],`+
		`["Execution",{"arena":[{"parent":null,"children":[1],"idx":0,"trace":{"success":false,"address":"0x1","kind":"CALL","data":"0x01020304","output":"0x","gas_used":1,"steps":[{"pc":0,"op":96},{"op":253,"pc":2}]},"ordering":[{"Step":0},{"Call":0}]},`+
		`{"parent":0,"children":[],"idx":1,"trace":{"success":false,"address":"0x2","kind":"CREATE","data":"0x00","output":"0x","gas_used":1,"steps":[]},"ordering":[]}]}]]}}}}`), 7)
	f.Add([]byte(`{"a:b":{"test_results":{"t()":{"status":"Failure","traces":[["Execution",{"arena":[{"trace":{"steps":[{}]}}]}]]}}}}`), 1)
	f.Add([]byte("{\"\\u0000:\":{\"test_results\":{\"\\\"\":{\"status\":\"Failure\",\"traces\":[[[]]]}}}}\n{\"x\n"), 3)
	f.Fuzz(func(t *testing.T, document []byte, n int) {
		whole := locateFailures(t, cfg, document, len(document)+1)
		if parts := locateFailures(t, cfg, document, max(n, 1)); !reflect.DeepEqual(whole, parts) {
			t.Errorf("whole: %v\nin parts of %d: %v", whole, n, parts)
		}
		for id, f := range whole {
			if f.Location.File == "" || f.Location.Line < 1 || f.Precision != sdk.PrecisionExact {
				t.Errorf("%v: %+v", id, f)
			}
		}
	})
}

func BenchmarkParser(b *testing.B) {
	root, document := copyRecorded(b)
	cfg := configOf(root)
	b.SetBytes(int64(len(document)))
	b.ReportAllocs()
	for b.Loop() {
		if len(locateFailures(b, cfg, document, sdk.SendChunk)) == 0 {
			b.Fatal("nothing was located")
		}
	}
}
