package directory

import (
	"runtime"
	"slices"
	"testing"
)

func TestThePathOfAURI(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the paths are those of other systems")
	}
	for uri, want := range map[string]string{
		"file:///a/b": "/a/b", "file://localhost/a": "/a", "file:///a%20b": "/a b", "file://server/a": "", "file:a": "", "/a": "", "http:///a": "", "%": "",
	} {
		if got := OfURI(uri); got != want {
			t.Errorf("%s is %q, want %q", uri, got, want)
		}
	}
	if !slices.Contains([]string{"", "/home/x"}, (Server{Env: []string{"HOME=/home/x"}}).home()) {
		t.Error("the home is another's")
	}
}
