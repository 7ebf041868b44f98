package reports

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/report"
)

func TestACollectorIsSentTheReport(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		path   string
		answer http.HandlerFunc
		says   string
		want   string
	}{
		"taken":       {"", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"partialSuccess":{}}`) }, "", "/v1/traces"},
		"with a path": {"/collect?key=1", func(http.ResponseWriter, *http.Request) {}, "", "/collect"},
		"taken in part": {"/", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}}`)
		}, "it refused spans: \"2\" too old", "/v1/traces"},
		"refused": {"", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }, "answered 401", "/v1/traces"},
		"sent elsewhere": {"", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		}, "answered 307", "/v1/traces"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked *http.Request
			var body []byte
			n := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				n, asked = n+1, r
				body, _ = io.ReadAll(r.Body)
				tc.answer(w, r)
			}))
			defer server.Close()
			f, _ := report.Find(report.OTLPName)
			env := map[string]string{"OTEL_EXPORTER_OTLP_HEADERS": "x-key=a%20b, x-other = c"}
			s := Surroundings{Stderr: io.Discard, Getenv: func(name string) string { return env[name] }}
			d := report.NewDocument(api.RunFinished{Run: api.Run{RunID: "abc", Verdict: api.Passed}})
			collector, err := NewFile(f, server.URL+tc.path)
			if err != nil {
				t.Fatal(err)
			}
			err = collector.WriteDocument(t.Context(), s, d, report.Options{})
			if tc.says == "" && err != nil || tc.says != "" && (err == nil || !strings.Contains(err.Error(), tc.says)) {
				t.Errorf("%v, want %q", err, tc.says)
			}
			if n != 1 || asked.Method != http.MethodPost || asked.URL.Path != tc.want || asked.Header.Get("Content-Type") != "application/json" || asked.Header.Get("X-Key") != "a b" || asked.Header.Get("X-Other") != "c" {
				t.Errorf("%d requests: %v %v %v", n, asked.Method, asked.URL, asked.Header)
			}
			if !bytes.Contains(body, []byte(`"resourceSpans"`)) {
				t.Errorf("sent was %s", body)
			}
		})
	}
	f, _ := report.Find(report.OTLPName)
	for address, says := range map[string]string{"http://": "not the address of a collector", "http://u:secret@127.0.0.1:1": "not the address", "http://127.0.0.1:1/?key=secret": "the collector at 127.0.0.1:1: "} {
		collector, err := NewFile(f, address)
		if err != nil {
			t.Fatal(err)
		}
		err = collector.WriteDocument(t.Context(), Surroundings{Getenv: func(string) string { return "" }}, report.NewDocument(), report.Options{})
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v, want %q", address, err, says)
		}
	}
}
