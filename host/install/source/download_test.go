package source

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestADownloadedReportIsBoundedAndItsKeyIsKept(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/large":
			w.Header().Set("Content-Length", strconv.Itoa(maxReport+1))
		case "/away":
			http.Redirect(w, r, "http://example.com/x", http.StatusFound)
		case "/report":
			_, _ = w.Write([]byte(r.URL.RawQuery))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(site.Close)
	for address, says := range map[string]string{
		site.URL + "/report?key=secret":                                  "",
		site.URL + "/large?key=secret":                                   "it is longer than",
		site.URL + "/away?key=secret":                                    "which is not https",
		site.URL + "/missing?key=secret":                                 "answered 404",
		strings.Replace(site.URL, "//", "//user:secret@", 1) + "/report": "a name or password does not belong in an address",
		"http://example.com/report?key=secret":                           "use https://",
		"file:///etc/passwd":                                             "it names no host",
		"ftp://example.com/report?key=secret":                            "reports come over https://",
	} {
		path := filepath.Join(t.TempDir(), "report")
		shown, err := Download(t.Context(), nil, address, path)
		if says == "" && err != nil || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("%s: %v, want %q", address, err, says)
		}
		if err != nil && strings.Contains(err.Error(), "secret") || strings.Contains(shown, "secret") {
			t.Errorf("%s: the key is revealed: %s, %v", address, shown, err)
		}
		data, read := os.ReadFile(path)
		if says == "" && string(data) != "key=secret" || says != "" && read == nil {
			t.Errorf("%s: the file has %q", address, data)
		}
	}
}
