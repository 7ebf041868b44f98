package manifest

import (
	"strings"

	"pgregory.net/rapid"
)

// hash is an arbitrary hash.
const hash = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

// text is a manifest as an author publishes it.
const text = `{
  "schema": 1,
  "name": "forge",
  "version": "0.3.1",
  "protocols": [
    1,
    2
  ],
  "source": "https://example.org/proctor-plugins/index.json",
  "summary": "Foundry (forge test --json) & more",
  "detect": {
    "any_file": [
      "foundry.toml"
    ]
  },
  "platforms": {
    "linux_amd64": {
      "bin": "proctor-plugin-forge",
      "sha256": "` + hash + `"
    },
    "windows_amd64": {
      "bin": "proctor-plugin-forge.exe",
      "sha256": "` + hash + `"
    }
  },
  "tls": "auto"
}
`

// versions generates valid versions of all forms.
func versions() *rapid.Generator[string] {
	return rapid.StringMatching(`(0|[1-9][0-9]{0,3})\.(0|[1-9][0-9]{0,3})\.(0|[1-9][0-9]{0,3})(-(rc|beta|a-b)\.(0|[1-9][0-9]?))?(\+[0-9a-z]{1,6})?`)
}

// manifests generates valid manifests.
func manifests() *rapid.Generator[Manifest] {
	plain := rapid.StringMatching(`[ -~é日]{0,40}`)
	file := rapid.StringMatching(`[a-zA-Z_.][a-zA-Z0-9_.-]{0,20}[a-z]`)
	platform := rapid.StringMatching(`(linux|darwin|windows|plan9)_(amd64|arm64|386)`)
	return rapid.Custom(func(t *rapid.T) Manifest {
		m := Manifest{
			Schema:    Schema,
			Name:      rapid.StringMatching(`[a-z][a-z0-9-]{0,31}`).Draw(t, "name"),
			Version:   versions().Draw(t, "version"),
			Protocols: rapid.SliceOfNDistinct(rapid.IntRange(1, 99), 1, maxProtocols, rapid.ID[int]).Draw(t, "protocols"),
			Source:    plain.Draw(t, "source"),
			Summary:   plain.Draw(t, "summary"),
			Platforms: map[Platform]Binary{},
			TLS:       rapid.SampledFrom([]string{"", TLSAuto, TLSNone}).Draw(t, "tls"),
		}
		m.Detect.AnyFile = rapid.SliceOfNDistinct(file, 0, 4, strings.ToLower).Draw(t, "files")
		for _, p := range rapid.SliceOfNDistinct(platform, 1, 5, rapid.ID[string]).Draw(t, "platforms") {
			sum := rapid.StringMatching(`[0-9a-f]{64}`).Draw(t, "hash")
			m.Platforms[Platform(p)] = Binary{Bin: BinaryName(m.Name, Platform(p)), SHA256: sum}
		}
		return m
	})
}
