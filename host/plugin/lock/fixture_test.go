package lock

import (
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"github.com/proctorhq/proctor/host/plugin/manifest"
	"github.com/proctorhq/proctor/internal/testfiles"
)

// digits and other are hashes, key and sum as minisign and the go command write theirs.
const (
	digits = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
	other  = "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"
	key    = "RWTATMMfZ4qfd20S0VNhh9QvdhdhdSRErmbbLOpWADun63sQ1lsAbNCy"
	sum    = "h1:HbYjl4mCVRzMqZLfFbJgPbdtKWT3lwJZ0xYpBKbLwv4="
)

// text is a lock file with a plugin of each kind.
const text = `{
  "schema": 1,
  "comment": "Maintained by ` + "`proctor plugin`" + `. Commit this file.",
  "plugins": {
    "forge": {
      "version": "0.3.1",
      "constraint": "~> 0.3",
      "source": "https://example.org/proctor-plugins/index.json",
      "signer": "minisign:` + key + `",
      "hashes": {
        "darwin_arm64": {
          "archive": "sha512:abc",
          "bin": "sha512:def"
        },
        "linux_amd64": {
          "archive": "sha256:` + digits + `",
          "bin": "sha256:` + other + `"
        }
      }
    },
    "tap": {
      "version": "1.2.3",
      "source": "go:example.com/tap/cmd/proctor-plugin-tap",
      "module_sum": "` + sum + `"
    }
  }
}
`

// put writes a file and returns its path.
func put(t *testing.T, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	testfiles.Write(t, path, content)
	return path
}

func contentOf(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// onlyFile fails if a directory holds anything but one file.
func onlyFile(t *testing.T, dir, name string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 || entries[0].Name() != name {
		t.Errorf("the directory holds %v", entries)
	}
}

func entries() *rapid.Generator[Entry] {
	hash := rapid.StringMatching(`sha256:[0-9a-f]{64}|blake3:[0-9a-f]{8}`)
	platform := rapid.StringMatching(`(linux|darwin|windows)_(amd64|arm64)`)
	return rapid.Custom(func(t *rapid.T) Entry {
		e := Entry{
			Version:    rapid.StringMatching(`[1-9]\.[1-9]\.[1-9](-rc\.[1-9])?`).Draw(t, "version"),
			Constraint: rapid.SampledFrom([]string{"", "~> 1.2", ">= 1, < 2"}).Draw(t, "constraint"),
			Source:     rapid.StringMatching(`[ -~é日]{1,40}`).Draw(t, "source"),
			Signer:     rapid.SampledFrom([]string{"", "minisign:" + key, "later:xyz"}).Draw(t, "signer"),
			ModuleSum:  rapid.SampledFrom([]string{"", sum, "h9:xyz"}).Draw(t, "sum"),
		}
		for _, p := range rapid.SliceOfN(platform, 0, 4).Draw(t, "platforms") {
			if e.Hashes == nil {
				e.Hashes = map[manifest.Platform]Hashes{}
			}
			e.Hashes[manifest.Platform(p)] = Hashes{Bin: hash.Draw(t, "bin"), Archive: hash.Draw(t, "archive")}
		}
		return e
	})
}

func files() *rapid.Generator[File] {
	return rapid.Custom(func(t *rapid.T) File {
		return File{Schema: schema, Comment: "c", Plugins: rapid.MapOfN(rapid.StringMatching(`[a-z][a-z0-9-]{0,31}`), entries(), 0, 4).Draw(t, "plugins")}
	})
}
