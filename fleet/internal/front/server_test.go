package front

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gofrs/flock"

	"github.com/proctorhq/proctor/fleet/internal/server"
)

// A server that does not get ready leaves neither ports nor a directory in use.
func TestAServerThatDoesNotGetReadyIsStopped(t *testing.T) {
	t.Parallel()
	dir, port := t.TempDir(), freePort(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if s, err := server.Start(ctx, dir, port, defaultNamespace); s != nil || err == nil || !strings.Contains(err.Error(), "is not ready") {
		t.Fatalf("%v, %v", s, err)
	}
	s, err := server.Start(t.Context(), dir, port, defaultNamespace)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
}

// What is not a process and a port on this machine is no part of a message, or of a command
// in one.
func TestOnlyNumbersAreTakenOfWhoHoldsADirectory(t *testing.T) {
	t.Parallel()
	dir, port := t.TempDir(), freePort(t)
	lock := flock.New(filepath.Join(dir, "lock"))
	if taken, err := lock.TryLock(); err != nil || !taken {
		t.Fatal(taken, err)
	}
	defer lock.Unlock()
	for text, address := range map[string]string{
		"12 127.0.0.1:7233\n":              "127.0.0.1:7233",
		"12 127.0.0.1:7233; evil\x1b[2J\n": "127.0.0.1:7233",
		"":                                 "",
		"12 127.0.0.1:72330\n":             "",
		"12 evil.example:7233\n":           "",
		"\x1b[2J 127.0.0.1:7233\n":         "",
		"12 `evil`\n":                      "",
		strings.Repeat("1", 1<<20) + " 127.0.0.1:7233": "",
	} {
		if err := os.WriteFile(filepath.Join(dir, "holder"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := server.Start(t.Context(), dir, port, defaultNamespace)
		var used *server.InUseError
		if !errors.As(err, &used) || used.Address != address || strings.ContainsAny(used.Error(), "\x1b\n") || strings.Contains(used.Error(), "evil") {
			t.Errorf("%.40q: %+v, %v", text, used, err)
		}
	}
}
