package fingerprint_test

import (
	"os"
	"slices"
	"testing"

	"github.com/proctorhq/proctor/host/fingerprint"
)

// Every file in it is named, and nothing without a name.
func TestADirectoryThatIsRemovedChangesItsFilesOnly(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b"} {
		if err := os.WriteFile(dir+"/"+name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := fingerprint.Take(t.Context(), fingerprint.Config{Root: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	files, _, err := s.Changed(t.Context())
	if err != nil || !slices.Equal(files, []string{"a", "b"}) {
		t.Errorf("changed: %q, %v", files, err)
	}
}
