package testjson_test

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/plugins/forge/internal/testjson"
)

// reading is everything a reader reports.
type reading struct {
	Documents []testjson.Document
	Texts     []string
	Suspect   int
	Output    string
}

// readDocument reads s in chunks of n bytes, or in one chunk if n is 0.
func readDocument(s string, n int) reading {
	var got reading
	r := testjson.NewReader(testjson.Config{
		Document: func(d testjson.Document) { got.Documents = append(got.Documents, d) },
		Text: func(t testjson.Text) {
			got.Texts = append(got.Texts, string(t.Head))
			if t.Suspect {
				got.Suspect++
			}
		},
		OutputSuite: "s:S", OutputTest: "t()",
		Output: func(p []byte) { got.Output += string(p) },
	})
	if n == 0 {
		n = len(s) + 1
	}
	for len(s) > n {
		r.Write([]byte(s[:n]))
		s = s[n:]
	}
	r.Write([]byte(s))
	r.Close()
	return got
}

// readTest reads a document of one test with the given fields.
func readTest(t *testing.T, fields string) testjson.Test {
	t.Helper()
	got := readDocument(`{"s:S":{"test_results":{"t()":{`+fields+`}}}}`, 0)
	if len(got.Documents) != 1 || got.Documents[0].Damaged || len(got.Documents[0].Suites) != 1 || len(got.Documents[0].Suites[0].Tests) != 1 {
		t.Fatalf("%s: want one test: %+v", fields, got)
	}
	return got.Documents[0].Suites[0].Tests[0]
}

func TestEveryVersionOfAStatusIsRead(t *testing.T) {
	for fields, want := range map[string]testjson.Status{
		`"status":"Success"`:                    testjson.Success,
		`"success":true`:                        testjson.Success,
		`"status":"Failure"`:                    testjson.Failure,
		`"success":false`:                       testjson.Failure,
		`"status":"Skipped"`:                    testjson.Skipped,
		`"status":"F\u0061ilure"`:               testjson.Failure,
		`"status":"Skipped","success":true`:     testjson.Skipped,
		`"status":"Odd"`:                        0,
		`"reason":null`:                         0,
		`"status":"Failure","status":"Success"`: testjson.Failure,
		`"status":"Success","success":false`:    testjson.Failure,
		`"status":"Skipped","status":"Success"`: testjson.Skipped,
		`"status":"Odd","status":"Skipped"`:     0,
	} {
		if got := readTest(t, fields).Status; got != want {
			t.Errorf("%s: %d, want %d", fields, got, want)
		}
	}
}

func TestEveryVersionOfAKindIsRead(t *testing.T) {
	for _, c := range []struct {
		raw  string
		want testjson.Kind
	}{
		{`{"Standard":7}`, testjson.Kind{Name: "Unit", Gas: "7"}},
		{`{"Unit":{"gas":27584}}`, testjson.Kind{Name: "Unit", Gas: "27584"}},
		{`12`, testjson.Kind{Name: "Unit", Gas: "12"}},
		{`{"Fuzz":{"first_case":{"gas":3,"stipend":1},"runs":256,"mean_gas":5,"median_gas":6,"failed_corpus_replays":2}}`,
			testjson.Kind{Name: "Fuzz", Runs: 256, Mean: "5", Median: "6"}},
		{`{"Fuzz":{"cases":[{"calldata":"0x","gas":10,"stipend":4},{"gas":20,"stipend":4},{"gas":60,"stipend":4}]}}`,
			testjson.Kind{Name: "Fuzz", Runs: 3, Mean: "26", Median: "16"}},
		{`{"Fuzz":[{"gas":10,"stipend":4},{"gas":20,"stipend":4}]}`, testjson.Kind{Name: "Fuzz", Runs: 2, Mean: "11", Median: "11"}},
		{`{"Invariant":{"runs":4,"calls":40,"reverts":1,"metrics":{"a:B.f":{"calls":3,"reverts":2,"discards":1}},"optimization_best_value":null}}`,
			testjson.Kind{Name: "Invariant", Runs: 4, Calls: 40, Reverts: 1, Metrics: []testjson.Metric{{Function: "a:B.f", Calls: 3, Reverts: 2, Discards: 1}}}},
		{`{"Table":{"runs":2,"mean_gas":512,"median_gas":511}}`, testjson.Kind{Name: "Table", Runs: 2, Mean: "512", Median: "511"}},
		{`{"Symbolic":{"paths":[1,2]}}`, testjson.Kind{Name: "Symbolic"}},
		{`"Replay"`, testjson.Kind{Name: "Replay"}},
		{`null`, testjson.Kind{}},
		{`{"Unit":{"gas":"Inf"}}`, testjson.Kind{Name: "Unit"}},
		{`{"Unit":{"gas":"-inf"}}`, testjson.Kind{Name: "Unit"}},
		{`{"Unit":{"gas":115792089237316195423570985008687907853269984665640564039457584007913129639935}}`,
			testjson.Kind{Name: "Unit", Gas: "115792089237316195423570985008687907853269984665640564039457584007913129639935"}},
	} {
		if got := readTest(t, `"kind":`+c.raw).Kind; !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\n got %+v\nwant %+v", c.raw, got, c.want)
		}
	}
}

func TestEveryVersionOfADurationIsRead(t *testing.T) {
	for raw, want := range map[string]time.Duration{
		`{"secs":2,"nanos":5}`:           2*time.Second + 5,
		`"2s 592ms 193µs 678ns"`:         2*time.Second + 592193678,
		`"1m 2s 3ms"`:                    62*time.Second + 3*time.Millisecond,
		`"23ms 45us"`:                    23045 * time.Microsecond,
		`"0s"`:                           0,
		`"1h"`:                           time.Hour,
		`"1.5ms"`:                        1500 * time.Microsecond,
		`"soon"`:                         0,
		`7`:                              0,
		`{"secs":1e300}`:                 0,
		`"99999999999999999999999hours"`: 0,
	} {
		if got := readTest(t, `"duration":`+raw).Elapsed; got != want {
			t.Errorf("%s: %v, want %v", raw, got, want)
		}
	}
}

func TestEveryShapeOfACounterexampleIsRead(t *testing.T) {
	if c := readTest(t, `"counterexample":null`).Counterexample; c != nil {
		t.Errorf("null: %v", c)
	}
	single := readTest(t, `"counterexample":{"Single":{"sender":null,"calldata":"0xaa","args":"1 [1e0]","raw_args":"1"}}`)
	if want := []testjson.Call{{Calldata: "0xaa", Args: "1 [1e0]"}}; single.Sequence || !reflect.DeepEqual(single.Counterexample, want) {
		t.Errorf("single: %+v", single)
	}
	call := `{"sender":"0x1","addr":"0x2","calldata":"0xaa","contract_name":"src/C.sol:C","func_name":"f","signature":"f(uint256)","args":"7"}`
	for _, raw := range []string{`{"Sequence":[11,[` + call + `]]}`, `{"Sequence":[` + call + `]}`} {
		got := readTest(t, `"counterexample":`+raw)
		want := []testjson.Call{{Sender: "0x1", Address: "0x2", Calldata: "0xaa", Contract: "src/C.sol:C", Function: "f", Signature: "f(uint256)", Args: "7"}}
		if !got.Sequence || !reflect.DeepEqual(got.Counterexample, want) {
			t.Errorf("%s: %+v", raw, got)
		}
	}
	for _, raw := range []string{`{"Sequence":[3]}`, `{"Sequence":[]}`, `{"Sequence":[[]]}`, `{"Sequence":5}`, `{"Single":5}`, `[]`, `"x"`} {
		readTest(t, `"counterexample":`+raw)
	}
}

func TestLinesThatAreNoResultsReportNothing(t *testing.T) {
	for _, line := range []string{
		"Compiling 3 files",
		`{"timestamp":1,"test":"x","metrics":{}}`,
		`[{"contract":"C","functions":{}}]`,
		"{\n  \"results\": [\n    {\"suite\": \"x\"}\n  ]\n}",
		`{"results":[]}`,
		`{"a:A":{"duration":"1ms"}}`,
		`{"a:A":{"test_results":{"t()":{"status":"Success"}}},"b:B":{"duration":"1ms"}}`,
		`{"a:A":{"test_results":{"t()":{"status":"Success"}}},"b":1}`,
		`{"a:A":{"test_results":null}}`,
		`{"a`, "{\n", "{}x{",
	} {
		for _, d := range readDocument(line+"\n", 0).Documents {
			if len(d.Suites) > 0 {
				t.Errorf("%q: %+v", line, d)
			}
		}
	}
}

func TestTextBesideADocumentIsKept(t *testing.T) {
	doc := `{"a:A":{"test_results":{"t()":{"status":"Success"}}}}`
	got := readDocument("Compiling\r\n\n"+doc+" tail\n"+doc+doc+"\nend", 0)
	if len(got.Documents) != 3 || !reflect.DeepEqual(got.Texts, []string{"Compiling", " tail", "end"}) {
		t.Errorf("got %+v", got)
	}
}

func TestTheCompleteTestsOfACutDocumentCount(t *testing.T) {
	doc := `{"a:A":{"duration":"1ms","test_results":{"t()":{"status":"Failure","reason":"x"},"u()":{"status":"Success"}},"warnings":[]},"b:B":{"test_results":{}}}`
	first := strings.Index(doc, `,"u()`)
	for n := 1; n < len(doc); n++ {
		got := readDocument(doc[:n], 0)
		if len(got.Documents) != 1 || !got.Documents[0].Damaged {
			t.Fatalf("%q: %+v", doc[:n], got)
		}
		tests := 0
		for _, s := range got.Documents[0].Suites {
			tests += len(s.Tests)
		}
		if want := n >= first; (tests > 0) != want {
			t.Errorf("%q: %d tests", doc[:n], tests)
		}
		if d := got.Documents[0]; d.Unread <= 0 || d.Unread > int64(n) {
			t.Errorf("%q: %d bytes unread", doc[:n], d.Unread)
		}
	}
	if got := readDocument(doc[:first+10]+"\nmore\n", 0); len(got.Documents) != 1 || !got.Documents[0].Damaged || len(got.Texts) != 1 {
		t.Errorf("cut inside the output: %+v", got)
	}
}

func TestADocumentThatIsNotOnItsOwnLineIsSuspect(t *testing.T) {
	got := readDocument(`Compiling...{"a:A":{"test_results":{}}}`+"\n", 0)
	if got.Suspect != 1 {
		t.Errorf("got %+v", got)
	}
}

func TestTracesAndLogsAreSkipped(t *testing.T) {
	got := readTest(t, `"traces":[["Setup",{"arena":[{"x":"\"]}","y":{"z":[[]]}}]}]],"logs":[{"status":"Failure"}],"status":"Success","labeled_addresses":{"a":"}"}`)
	if got.Status != testjson.Success {
		t.Errorf("got %+v", got)
	}
}

func TestLogsKeepTheirBeginningAndTheirEnd(t *testing.T) {
	entry := strings.Repeat(`ü\n\ud83d\ude00\"`, 1500)
	all := strings.Repeat(`"`+entry+`",`, 20) + `"end"`
	var entries []string
	if err := json.Unmarshal([]byte("["+all+"]"), &entries); err != nil {
		t.Fatal(err)
	}
	want := strings.Join(entries, "\n") + "\n"
	for _, n := range []int{0, 1, 7, 4096, 16384} {
		got := readDocument(`{"s:S":{"test_results":{"t()":{"status":"Failure","decoded_logs":[`+all+`]}}}}`, n)
		if got.Output != want {
			t.Fatalf("chunks of %d: got %d bytes of output, want %d", n, len(got.Output), len(want))
		}
		l, want := got.Documents[0].Suites[0].Tests[0].Logs, strings.TrimSuffix(want, "\n")
		if !strings.HasPrefix(want, l.Head) || !strings.HasSuffix(want, l.Tail) || len(l.Head)+len(l.Tail)+int(l.Omitted) != len(want) || l.Omitted == 0 {
			t.Errorf("chunks of %d: %d + %d bytes, %d omitted", n, len(l.Head), len(l.Tail), l.Omitted)
		}
	}
	if l := readTest(t, `"decoded_logs":["a",5,{"x":["\""]},"b"],"status":"Failure"`).Logs; l.String() != "a\nb" {
		t.Errorf("got %q", l)
	}
}

func TestOnlyTheBeginningOfALongLogIsKeptIfTheTestPassed(t *testing.T) {
	const kept = 4 << 10
	short, long := strings.Repeat("s", kept), strings.Repeat("ü", 3*kept)
	for fields, want := range map[string]testjson.Logs{
		`"decoded_logs":["` + short + `"],"status":"Success"`:    {Head: short},
		`"decoded_logs":["x` + long + `"],"status":"Success"`:    {Head: "x" + long[:kept-2], Omitted: int64(len(long) - kept + 2)},
		`"status":"Success","decoded_logs":["x` + long + `"]`:    {Head: "x" + long[:kept-2], Omitted: int64(len(long) - kept + 2)},
		`"decoded_logs":["x` + long + `"],"status":"Failure"`:    {Head: "x" + long},
		`"decoded_logs":["x` + long + `"],"status":"Mysterious"`: {Head: "x" + long},
	} {
		if got := readTest(t, fields).Logs; got != want {
			t.Errorf("%.40s: %d + %d bytes and %d omitted, want %d and %d", fields, len(got.Head), len(got.Tail), got.Omitted, len(want.Head), want.Omitted)
		}
	}
}

func TestHugeFieldsAreBoundedAndStayReadable(t *testing.T) {
	reason := readTest(t, `"status":"Failure","reason":"`+strings.Repeat(`\u001b\ud83d\ude00ä\\`, 1<<17)+`"`)
	if len(reason.Reason) < 10_000 || len(reason.Reason) > 100_000 || !strings.HasSuffix(reason.Reason, "[TRUNCATED]") {
		t.Errorf("a reason of %d bytes", len(reason.Reason))
	}
	call := `{"sender":"0x1","args":"` + strings.Repeat("9", 5000) + `","x":[1,{"y":[2,3]}]}`
	sequence := readTest(t, `"status":"Failure","counterexample":{"Sequence":[900,[`+strings.Repeat(call+",", 900)+call+`]]}`)
	if n := len(sequence.Counterexample); n < 150 || n > 300 || sequence.Status != testjson.Failure {
		t.Errorf("%d calls", n)
	}
}

func TestManyTestsWithMuchTextStayInMemory(t *testing.T) {
	var b strings.Builder
	reason := strings.Repeat("r", 60_000)
	b.WriteString(`{"a:A":{"test_results":{`)
	for i := range 1500 {
		fmt.Fprintf(&b, `"t%d()":{"status":"Failure","reason":"%s"},`, i, reason)
	}
	b.WriteString(`"long()":{"status":"Failure","reason":"` + reason + `","decoded_logs":["` + reason + `"]},`)
	b.WriteString(`"end()":{"status":"Failure","reason":"last"}}}}`)
	d := readDocument(b.String(), 1<<16).Documents[0]
	size := 0
	for _, test := range d.Suites[0].Tests {
		size += len(test.Reason)
		if test.Status != testjson.Failure || test.Reason == "" {
			t.Fatalf("%s lost its result", test.Name)
		}
	}
	tests := d.Suites[0].Tests
	if len(tests) != 1502 || size > 80<<20 {
		t.Fatalf("%d tests, %d bytes", len(tests), size)
	}
	if long := tests[1500]; !strings.HasSuffix(long.Reason, "r[TRUNCATED]") || long.Logs != (testjson.Logs{Omitted: 60_000}) {
		t.Errorf("nothing notes what was left out: %q, %+v", long.Reason, long.Logs)
	}
	if end := tests[1501]; end.Reason != "last" || end.Logs.String() != "" {
		t.Errorf("got %+v", end)
	}
}

func TestBracketsThatDoNotMatchAreDamage(t *testing.T) {
	for _, traces := range []string{"[}", "[[{]]", `{"a":[}}`} {
		got := readDocument(`{"a:A":{"test_results":{"s()":{"status":"Success"},"t()":{"status":"Success","traces":`+traces+`}}}}`+"\n", 0)
		if len(got.Documents) != 1 || !got.Documents[0].Damaged || len(got.Documents[0].Suites[0].Tests) != 1 {
			t.Errorf("%s: %+v", traces, got)
		}
	}
}

func TestDeepNestingIsRejected(t *testing.T) {
	got := readDocument(`{"a:A":{"test_results":{"t()":{"traces":`+strings.Repeat("[", 5000), 0)
	if len(got.Documents) != 1 || !got.Documents[0].Damaged {
		t.Errorf("got %+v", got)
	}
}

// Forge 1.7.1 printed the document, for a project with a test of every kind and every
// common way to fail.
func TestARealDocumentReadsAsEncodingJSONReadsIt(t *testing.T) {
	raw, err := os.ReadFile("testdata/forge-1.7.1.json")
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]struct {
		TestResults map[string]struct {
			Status string
			Reason string
			Logs   []string `json:"decoded_logs"`
		} `json:"test_results"`
	}
	if err := json.Unmarshal(raw, &want); err != nil {
		t.Fatal(err)
	}
	got := readDocument(string(raw), 4096)
	words := map[testjson.Status]string{testjson.Success: "Success", testjson.Failure: "Failure", testjson.Skipped: "Skipped"}
	tests := 0
	for _, s := range got.Documents[0].Suites {
		for _, test := range s.Tests {
			tests++
			w := want[s.Key].TestResults[test.Name]
			if words[test.Status] != w.Status || test.Reason != w.Reason || test.Logs.String() != strings.Join(w.Logs, "\n") {
				t.Errorf("%s %s: %+v, want %+v", s.Key, test.Name, test, w)
			}
			if test.Kind.Name == "" || strings.Contains(test.Name, "oog") && test.Elapsed < time.Second {
				t.Errorf("%s %s: %+v", s.Key, test.Name, test)
			}
		}
	}
	if len(got.Documents) != 1 || tests != 25 {
		t.Errorf("%d documents, %d tests", len(got.Documents), tests)
	}
	for _, n := range []int{1, 7, 100} {
		if again := readDocument(string(raw), n); !reflect.DeepEqual(again, got) {
			t.Errorf("chunks of %d bytes change the result", n)
		}
	}
}

func FuzzChunksChangeNothing(f *testing.F) {
	f.Add(`{"a:A":{"duration":"1ms","test_results":{"t()":{"status":"Failure","reason":"x\"\\","kind":{"Unit":{"gas":1}},"decoded_logs":["a\ud83d\ude00","b"],"traces":[[{"\\":"]"}]]}},"warnings":["w"]}}`, 3)
	f.Add("text\n{\"a\":1}\n{\"s:S\":{\"test_results\":{\"t()\":{\"decoded_logs\":[\"x\",\"", 1)
	f.Add(`{"a:A":{"test_results":{"t()":5,"u()":{"status":"Success"}}}}{"b`, 2)
	f.Add("\xef\xbb\xbf {}\r\n{\"\\u0061\":{\"test_results\":{}}} x", 5)
	f.Fuzz(func(t *testing.T, s string, n int) {
		whole := readDocument(s, 0)
		if pieces := readDocument(s, 1+n&63); !reflect.DeepEqual(whole, pieces) {
			t.Fatalf("pieces change the result:\n%+v\n%+v", whole, pieces)
		}
		for _, d := range whole.Documents {
			if d.Damaged != (d.Unread > 0) {
				t.Fatalf("damaged %v with %d bytes unread", d.Damaged, d.Unread)
			}
		}
		var valid map[string]map[string]json.RawMessage
		if json.Unmarshal([]byte(s), &valid) == nil && !strings.Contains(s, "\n") && len(valid) > 0 {
			for _, suite := range valid {
				if _, ok := suite["test_results"]; !ok {
					return
				}
			}
			if len(whole.Documents) == 0 && whole.Suspect == 0 {
				t.Fatalf("an object with results was skipped")
			}
		}
	})
}
