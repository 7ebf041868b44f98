package source

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/install/index"
)

func TestRedirectsAreFollowedAndChangeNoAddress(t *testing.T) {
	p := tap("1.0.0")
	w := serve(t, published(t, p))
	// The index is elsewhere, but the files beside it are still requested here.
	w.instead["/p/index.json"] = redirect("/elsewhere/list")
	w.instead["/elsewhere/list"] = func(out http.ResponseWriter, req *http.Request) {
		if req.Referer() != "" {
			t.Errorf("the request has the Referer %s", req.Referer())
		}
		_, _ = out.Write(w.files[index.File])
	}
	w.instead["/p/"+p.url()] = redirect("https://" + w.Listener.Addr().String() + "/cdn")
	w.instead["/cdn"] = func(out http.ResponseWriter, _ *http.Request) { _, _ = out.Write(w.files[p.url()]) }
	s := open(t, w.config(t), w.index())
	fetched(t, s, resolve(t, s, p.query("")), p)
	var paths []string
	for _, req := range w.requests {
		paths = append(paths, req.URL.Path)
	}
	if got := strings.Join(paths[:4], " "); got != "/p/index.json /elsewhere/list /p/index.json.minisig /p/minisign.pub" {
		t.Errorf("requested %s", got)
	}
}

func TestRedirectsOutOfHTTPSAreNotFollowed(t *testing.T) {
	plain := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a request was sent over http") }))
	defer plain.Close()
	for name, c := range map[string]struct{ to, says string }{
		"http":       {plain.URL + "/index.json", "not https"},
		"file":       {"file:///etc/passwd", "not https"},
		"user":       {"https://user:s3cret@h.invalid/index.json", "name or password"},
		"other":      {"gopher://h.invalid/", "not https"},
		"loop":       {"/p/index.json", "more than"},
		"no address": {"https://%zz\x1b/", "malformed"},
	} {
		w := serve(t, nil)
		w.instead["/p/index.json"] = func(out http.ResponseWriter, _ *http.Request) {
			out.Header().Set("Location", c.to)
			out.WriteHeader(http.StatusFound)
		}
		var unread *FetchError
		_, err := open(t, w.config(t), w.index()).Resolve(t.Context(), tap("").query(""))
		if !errors.As(err, &unread) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "s3cret") || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%s: %v", name, err)
		}
		if w.asked() > maxRedirects+1 {
			t.Errorf("%s: %d requests", name, w.asked())
		}
	}
}

func TestMirrorOnThisMachineMayBePlain(t *testing.T) {
	p := tap("1.0.0")
	files := published(t, p)
	plain := httptest.NewServer(http.StripPrefix("/p/", http.HandlerFunc(func(out http.ResponseWriter, req *http.Request) {
		if data, ok := files[req.URL.Path]; ok {
			_, _ = out.Write(data)
			return
		}
		http.NotFound(out, req)
	})))
	defer plain.Close()
	s := open(t, scratch(t), plain.URL+"/p/index.json")
	fetched(t, s, resolve(t, s, p.query("")), p)

	away := httptest.NewServer(redirect("http://h.invalid/index.json"))
	defer away.Close()
	var unread *FetchError
	if _, err := open(t, scratch(t), away.URL+"/p/index.json").Resolve(t.Context(), p.query("")); !errors.As(err, &unread) || !strings.Contains(err.Error(), "not https") {
		t.Error(err)
	}
}
