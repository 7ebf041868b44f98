package install

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/plugin/lock"
)

func TestAServerIsASourceAndAMirror(t *testing.T) {
	pub, u := newPublisher(t), newUser(t)
	pub.add("tap", "1.0.0", u.program("1"))
	server := httptest.NewServer(http.FileServer(http.Dir(pub.dir)))
	defer server.Close()
	address := server.URL + "/index.json"
	if p := u.install(address); p.Source != address || p.Signer != lock.SignerScheme+pub.pub {
		t.Errorf("%+v", p)
	}
	u.wipe()
	u.cfg.Offline = true
	if p := u.sync(SyncRequest{}); p.Action != Failed || !strings.Contains(p.Problem, "--offline") {
		t.Errorf("%+v", p)
	}
	u.cfg.Offline = false
	dir := t.TempDir()
	if a, err := u.installer().Mirror(t.Context(), u.lock, dir); err != nil || !a.OK() {
		t.Fatalf("%+v, %v", a, err)
	}
	mirror := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer mirror.Close()
	server.Close()
	if p := u.sync(SyncRequest{}); p.Action != Failed || !strings.Contains(p.Problem, address) {
		t.Errorf("without its server: %+v", p)
	}
	// The mirror has no directory for the source, which is where sync looks first.
	if p := u.sync(SyncRequest{Mirror: mirror.URL}); p.Action != Installed || p.Source != address {
		t.Errorf("%+v", p)
	}
	u.whole()
}
