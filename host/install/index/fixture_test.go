package index

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/proctorhq/proctor/host/plugin/manifest"
)

// Arbitrary hashes.
var (
	ones   = strings.Repeat("1", 64)
	twos   = strings.Repeat("2", 64)
	threes = strings.Repeat("3", 64)
)

// signed returns a file of testdata/signed.
func signed(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "signed", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// version returns a version with files for some platforms, at addresses that begin with prefix.
func version(prefix string, protocols []int, platforms ...manifest.Platform) Version {
	v := Version{Protocols: protocols, Files: map[manifest.Platform]Archive{}}
	for _, p := range platforms {
		v.Files[p] = Archive{URL: prefix + "/" + string(p) + ".tar.gz", SHA256: ones, BinSHA256: twos}
	}
	return v
}

func indexes() *rapid.Generator[Index] {
	name := rapid.StringMatching(`[a-z][a-z0-9-]{0,31}`)
	number := rapid.StringMatching(`(0|[1-9][0-9]?)\.(0|[1-9])\.(0|[1-9])(-rc\.[1-9])?(\+[0-9a-z]{1,3})?`)
	platform := rapid.StringMatching(`(linux|darwin|windows)_(amd64|arm64)`)
	hash := rapid.StringMatching(`[0-9a-f]{64}`)
	return rapid.Custom(func(t *rapid.T) Index {
		x := Index{Schema: Schema, Plugins: map[string]Plugin{}}
		for _, plugin := range rapid.SliceOfNDistinct(name, 0, 3, rapid.ID[string]).Draw(t, "plugins") {
			versions := map[string]Version{}
			for _, n := range rapid.SliceOfNDistinct(number, 1, 3, rapid.ID[string]).Draw(t, "versions") {
				v := Version{
					Protocols: rapid.SliceOfNDistinct(rapid.IntRange(1, 9), 1, 3, rapid.ID[int]).Draw(t, "protocols"),
					Summary:   rapid.StringMatching(`[ -~é]{0,20}`).Draw(t, "summary"),
					Files:     map[manifest.Platform]Archive{},
				}
				for _, p := range rapid.SliceOfNDistinct(platform, 1, 3, rapid.ID[string]).Draw(t, "platforms") {
					v.Files[manifest.Platform(p)] = Archive{URL: plugin + "/" + n + "/" + p, SHA256: hash.Draw(t, "sha256"), BinSHA256: hash.Draw(t, "bin")}
				}
				versions[n] = v
			}
			x.Plugins[plugin] = Plugin{Versions: versions}
		}
		return x
	})
}
