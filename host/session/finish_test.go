package session_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/proctorhq/proctor/host/session"
)

func TestFinishTellsThatItCannotWrite(t *testing.T) {
	for _, tc := range []struct {
		name   string
		damage func(sessions string) error
	}{
		{"no folder", func(d string) error { return errors.Join(os.RemoveAll(d), os.WriteFile(d, nil, 0o600)) }},
		{"no lock", func(d string) error {
			return errors.Join(os.Remove(filepath.Join(d, "one.lock")), os.Mkdir(filepath.Join(d, "one.lock"), 0o755))
		}},
		{"slots damaged", func(d string) error { return os.WriteFile(filepath.Join(d, "one.json"), []byte("{"), 0o600) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			s := open(t, dir, "one")
			if err := s.Finish(t.Context(), newRun("go", "one")); err != nil {
				t.Fatal(err)
			}
			if err := tc.damage(filepath.Join(dir, ".proctor", "sessions")); err != nil {
				t.Fatal(err)
			}
			var store *session.StoreError
			if err := s.Finish(t.Context(), newRun("go", "one")); !errors.As(err, &store) {
				t.Errorf("%v; want a StoreError", err)
			}
		})
	}
}
