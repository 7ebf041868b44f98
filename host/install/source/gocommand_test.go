package source

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/proctorhq/proctor/host/workspace"
)

func TestWithoutGoCommandTheUserIsToldWhatToDo(t *testing.T) {
	cfg := scratch(t)
	dir := write(t, t.TempDir(), map[string][]byte{"go": []byte("#!/bin/sh\n")})
	t.Chdir(dir)
	// A relative entry, and a file that is not a program.
	cfg.Env = []string{"PATH=." + string(filepath.ListSeparator) + dir}
	if _, err := open(t, cfg, "go:"+tinyPkg).Resolve(t.Context(), goQuery("")); err == nil || !strings.Contains(err.Error(), "go.dev") {
		t.Error(err)
	}
}

func TestOfflineModulesComeFromDirectoriesAndTheCacheAlone(t *testing.T) {
	proxy := tiny(t)
	asked := new(atomic.Int32)
	network := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) { asked.Add(1); out.WriteHeader(500) }))
	defer network.Close()
	online := goConfig(t, proxy.url())
	resolve(t, open(t, online, "go:"+tinyPkg), goQuery("1.1.0"))

	// Every way to the network leads to a server that counts requests.
	offline := online
	offline.Offline = true
	offline.Env = append(offline.Env, "GOPROXY="+network.URL+",direct", "GOPRIVATE=example.test/private", "GOTOOLCHAIN=go9.9.9",
		"HTTPS_PROXY="+network.URL, "HTTP_PROXY="+network.URL)
	r := resolve(t, open(t, offline, "go:"+tinyPkg), goQuery("~> 1.0"))
	if r.Version != "1.1.0" {
		t.Errorf("got %q from the cache, want 1.1.0", r.Version)
	}
	var unread *FetchError
	for _, spec := range []string{"go:" + tinyPkg + "@v1.0.0", "go:example.test/private/proctor-plugin-x", "go:example.test/odd/proctor-plugin-newer@0.1.0"} {
		parsed, err := Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := open(t, offline, spec).Resolve(t.Context(), goQuery(parsed.Constraint)); !errors.As(err, &unread) {
			t.Errorf("%s: %v", spec, err)
		}
	}
	// A module that nobody vouches for does not come from a directory either.
	offline.Env = append(offline.Env, "GOPROXY="+proxy.url(), "GONOSUMDB=")
	if _, err := open(t, offline, "go:"+tinyPkg).Resolve(t.Context(), goQuery("1.0.0")); !errors.As(err, &unread) || !strings.Contains(err.Error(), "verifying") {
		t.Errorf("without the checksum database: %v", err)
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}

func TestModuleThatTheChecksumDatabaseDoesNotVouchForIsRefused(t *testing.T) {
	cfg := goConfig(t, tiny(t).url())
	database := httptest.NewServer(status(http.StatusInternalServerError))
	defer database.Close()
	cfg.Env = append(cfg.Env, "GONOSUMDB=", "GOSUMDB=sum.golang.org "+database.URL)
	var unread *FetchError
	for _, constraint := range []string{"1.1.0", ""} {
		if _, err := open(t, cfg, "go:"+tinyPkg).Resolve(t.Context(), goQuery(constraint)); !errors.As(err, &unread) || !strings.Contains(err.Error(), "verifying") {
			t.Errorf("%q: %v", constraint, err)
		}
	}
}

func TestCancelledGoCommandIsGone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	gone := make(chan struct{}, 100)
	hanging := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		cancel()
		<-req.Context().Done() // closed when the process ends
		gone <- struct{}{}
	}))
	defer hanging.Close()
	cfg := goConfig(t, hanging.URL)
	if _, err := open(t, cfg, "go:"+tinyPkg).Resolve(ctx, goQuery("")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	<-gone
}

func TestSettingsThatWouldChangeTheBuildAreIgnored(t *testing.T) {
	cfg := goConfig(t, tiny(t).url())
	work, remove, err := cfg.workDir()
	if err != nil {
		t.Fatal(err)
	}
	defer remove()
	cmd, err := newGoCommand(t.Context(), cfg, "go:"+tinyPkg, work)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"GOFLAGS": "", "CC": "", "GOOS": "", "GOENV": "off", "GOWORK": "off", "CGO_ENABLED": "0", "GOTOOLCHAIN": "local", "GONOSUMDB": "*",
	} {
		if got := workspace.Getenv(cmd.env, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if got := names(t, cmd.dir); len(got) > 0 {
		t.Errorf("its directory has %q", got)
	}
}

func TestModulesThatNoDatabaseVouchesForAreFound(t *testing.T) {
	for _, c := range []struct {
		database, excepted, module string
		vouched                    bool
	}{
		{"sum.golang.org", "", "example.com/m", true},
		{"off", "", "example.com/m", false},
		{"sum.golang.org", "*", "example.com/m", false},
		{"sum.golang.org", "other.com,example.com/", "example.com/m", false},
		{"sum.golang.org", "*.example.com", "example.com/m", true},
		{"sum.golang.org", "example.com/m/x", "example.com/m", true},
		{"sum.golang.org", "example.com/n*,[", "example.com/m", true},
	} {
		if got := (&goCommand{database: c.database, excepted: c.excepted}).vouched(c.module); got != c.vouched {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func TestNoGoCommandIsTakenFromTheWorkingDirectory(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	name := "go"
	if onWindows {
		name = "go.exe"
	}
	if err := os.WriteFile(name, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{".", "", "./", string(filepath.ListSeparator)} {
		if got := lookPath([]string{"PATH=" + path}); got != "" {
			t.Errorf("PATH=%s: %s", path, got)
		}
	}
	if got := lookPath([]string{"PATH=." + string(filepath.ListSeparator) + dir}); got != filepath.Join(dir, name) {
		t.Errorf("%q", got)
	}
}
