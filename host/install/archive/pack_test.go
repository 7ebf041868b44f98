package archive

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/proctorhq/proctor/internal/property"
)

func pack(t testing.TB, format Format, files map[string][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Pack(t.Context(), &b, format, files, map[string]bool{program: true}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestWhatIsPackedIsUnpackedTheSame(t *testing.T) {
	property.Check(t, func(r *rapid.T) {
		name := rapid.StringMatching(`[a-z0-9][a-z0-9_+-]{0,7}(\.[a-z]{1,3})?`).Filter(func(n string) bool {
			_, err := fileName(n)
			return err == nil
		})
		content := rapid.SliceOfN(rapid.Byte(), 0, 300)
		in := rapid.MapOfN(name, content, 1, 5).Draw(r, "files")
		format := rapid.SampledFrom([]Format{TarGz, Zip}).Draw(r, "format")
		data := pack(t, format, in)
		if again := pack(t, format, maps.Clone(in)); !bytes.Equal(data, again) {
			r.Fatal("packing twice gave different bytes")
		}
		path, dir := place(t, data)
		if err := Unpack(t.Context(), path, dir); err != nil {
			r.Fatal(err)
		}
		want := map[string]string{}
		for name, content := range in {
			want[name] = string(content)
		}
		if diff := cmp.Diff(want, filesIn(t, dir)); diff != "" {
			r.Fatal(diff)
		}
	})
}

// The hash is of what is inside gzip, which another release of Go may compress differently.
func TestAnArchiveDependsOnNothingButItsFiles(t *testing.T) {
	in := map[string][]byte{"manifest.json": []byte("{}\n"), program: []byte("program"), "LICENSE": []byte("MIT")}
	data := pack(t, TarGz, in)
	if begin := fmt.Sprintf("%x", data[:10]); begin != "1f8b08000000000000ff" {
		t.Errorf("the gzip header names a time or a system: %s", begin)
	}
	const want = "8db02e970cca114585b11b9a281b6e4099b303a3822e8b02268d97efd6f9b6ea"
	if got := fmt.Sprintf("%x", sha256.Sum256(unzipped(t, data))); got != want {
		t.Errorf("the tar archive has the hash %s, want %s", got, want)
	}
}

func TestWhatCannotBeUnpackedIsNotPacked(t *testing.T) {
	many := map[string][]byte{}
	for n := range maxFiles + 1 {
		many[fmt.Sprint(n)] = nil
	}
	for name, in := range map[string]map[string][]byte{
		"nothing": {}, "many": many, "folded": {"a": nil, "A": nil}, "dotted": {"./a": nil}, "outside": {"../a": nil},
	} {
		for _, format := range []Format{TarGz, Zip} {
			var b bytes.Buffer
			if err := Pack(t.Context(), &b, format, in, nil); err == nil || b.Len() > 0 {
				t.Errorf("%s: %v, %d bytes", name, err, b.Len())
			}
		}
	}
	if err := Pack(t.Context(), &bytes.Buffer{}, 0, map[string][]byte{"a": nil}, nil); err == nil {
		t.Error("a format that does not exist was packed")
	}
}

func TestPackingEndsWithItsContextAndItsWriter(t *testing.T) {
	in := map[string][]byte{"a": []byte(strings.Repeat("x", 10))}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	broken := errors.New("broken")
	for _, format := range []Format{TarGz, Zip} {
		if err := Pack(ctx, &bytes.Buffer{}, format, in, nil); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if err := Pack(t.Context(), failing{broken}, format, in, nil); !errors.Is(err, broken) {
			t.Error(err)
		}
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestArchivesHaveTheNameOfTheirPlatform(t *testing.T) {
	for want, got := range map[string]string{
		"proctor-plugin-tap_1.2.3_linux_amd64.tar.gz":     Name("tap", "1.2.3", "linux_amd64"),
		"proctor-plugin-tap_1.2.3_darwin_arm64.tar.gz":    Name("tap", "1.2.3", "darwin_arm64"),
		"proctor-plugin-tap_1.2.3-rc.1_windows_amd64.zip": Name("tap", "1.2.3-rc.1", "windows_amd64"),
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
