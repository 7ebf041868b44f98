package fingerprint_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/internal/property"
)

// lists generates files, sorted by path.
func lists() *rapid.Generator[[]fingerprint.File] {
	return rapid.Custom(func(t *rapid.T) []fingerprint.File {
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[ab/\x00ü]{1,6}`), 0, 30, rapid.ID[string]).Draw(t, "paths")
		slices.Sort(names)
		files := []fingerprint.File{}
		for _, name := range names {
			f := fingerprint.File{Path: name, Mode: fingerprint.Mode(rapid.IntRange(0, 3).Draw(t, "mode"))}
			f.Hash[11] = rapid.ByteRange(0, 2).Draw(t, "hash")
			files = append(files, f)
		}
		return files
	})
}

func TestEncodedFilesRoundTrip(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		a, b := lists().Draw(t, "a"), lists().Draw(t, "b")
		got, err := fingerprint.Decode(fingerprint.Encode(a))
		if err != nil || !slices.Equal(got, a) {
			t.Fatalf("%v %v, want %v", got, err, a)
		}
		got, err = fingerprint.Apply(a, fingerprint.Delta(a, b))
		if err != nil || !slices.Equal(got, b) {
			t.Fatalf("%v %v, want %v", got, err, b)
		}
		if same := fingerprint.Identify(a) == fingerprint.Identify(b); same != slices.Equal(a, b) {
			t.Fatalf("%v and %v: the same id is %t", a, b, same)
		}
	})
}

func TestADeltaIsSmallWhereLittleChanged(t *testing.T) {
	var a []fingerprint.File
	for i := range 5000 {
		a = append(a, fingerprint.File{Path: fmt.Sprintf("some/directory%02d/file%05d.txt", i/100, i), Hash: fingerprint.Hash{byte(i), byte(i >> 8)}})
	}
	b := slices.Clone(a)
	b[100].Hash[0]++
	if whole, delta := len(fingerprint.Encode(a)), len(fingerprint.Delta(a, b)); whole > 80_000 || delta > 100 {
		t.Errorf("%d bytes, a delta %d", whole, delta)
	}
}

// FuzzDecode checks that garbage gives an error or a well-formed list.
func FuzzDecode(f *testing.F) {
	files := []fingerprint.File{{Path: "a"}, {Path: "a/b", Mode: fingerprint.Symlink}, {Path: strings.Repeat("x", 300)}}
	f.Add(fingerprint.Encode(files), true)
	f.Add(fingerprint.Delta(files, files[1:]), false)
	f.Add([]byte{1, 0}, true)
	f.Fuzz(func(t *testing.T, data []byte, whole bool) {
		var got []fingerprint.File
		var err error
		if whole {
			got, err = fingerprint.Decode(data)
		} else {
			got, err = fingerprint.Apply(files, data)
		}
		if err != nil {
			return
		}
		for i, f := range got {
			if f.Mode > fingerprint.Submodule || f.Path == "" || i > 0 && got[i-1].Path >= f.Path {
				t.Fatalf("%q", got)
			}
		}
	})
}

func TestDiffSaysWhatBecameOfEachFile(t *testing.T) {
	a := fingerprint.State{Files: []fingerprint.File{{Path: "gone"}, {Path: "mode"}, {Path: "same"}}}
	b := fingerprint.State{Files: []fingerprint.File{{Path: "mode", Mode: fingerprint.Executable}, {Path: "new"}, {Path: "same"}}}
	want := "[{gone deleted} {mode modified} {new added}]"
	if got := fmt.Sprint(fingerprint.Diff(a, b)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := fingerprint.Diff(a, a); got != nil {
		t.Errorf("a state differs from itself: %v", got)
	}
}
