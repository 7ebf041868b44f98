package install

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"

	"aead.dev/minisign"

	"github.com/proctorhq/proctor/host/install/archive"
	"github.com/proctorhq/proctor/host/install/index"
	"github.com/proctorhq/proctor/host/plugin/manifest"
)

// other is a platform that these tests never run on.
const other = manifest.Platform("plan9_mips")

// publisher has an index in a directory.
type publisher struct {
	t   testing.TB
	dir string
	// key signs, unless it is nil.
	key *minisign.PrivateKey
	pub string
	x   index.Index
}

// newPublisher returns a publisher that signs.
func newPublisher(t testing.TB) *publisher {
	t.Helper()
	p := &publisher{t: t, dir: t.TempDir(), x: index.Index{Schema: index.Schema, Plugins: map[string]index.Plugin{}}}
	p.newKey()
	return p
}

// newKey switches to another key.
func (p *publisher) newKey() {
	p.t.Helper()
	pub, key, err := minisign.GenerateKey(rand.Reader)
	if err != nil {
		p.t.Fatal(err)
	}
	p.key, p.pub = &key, pub.String()
}

// address returns the address of the index.
func (p *publisher) address() string { return fileURL(filepath.Join(p.dir, index.File)) }

// program returns the content of a plugin binary that leaves a trace when executed.
func program(trace, text string) []byte {
	return []byte("#!/bin/sh\ntouch '" + trace + "'\n# " + text + "\n")
}

// add publishes a version for this platform and another.
func (p *publisher) add(name, version string, binary []byte) {
	p.t.Helper()
	files := map[manifest.Platform]index.Archive{}
	for _, platform := range []manifest.Platform{manifest.ThisPlatform(), other} {
		data := packed(p.t, name, version, platform, binary)
		address := name + "/" + version + "/" + archive.Name(name, version, platform)
		put(p.t, filepath.Join(p.dir, filepath.FromSlash(address)), data)
		files[platform] = index.Archive{URL: address, SHA256: hexSum(data), BinSHA256: hexSum(binary)}
	}
	if p.x.Plugins[name].Versions == nil {
		p.x.Plugins[name] = index.Plugin{Versions: map[string]index.Version{}}
	}
	p.x.Plugins[name].Versions[version] = index.Version{Protocols: []int{1}, Files: files}
	p.publish()
}

// publish writes and signs the index.
func (p *publisher) publish() {
	p.t.Helper()
	path := filepath.Join(p.dir, index.File)
	data := p.x.Encode()
	put(p.t, path, data)
	if p.key == nil {
		os.Remove(path + index.SignatureSuffix)
		os.Remove(filepath.Join(p.dir, index.KeyFile))
		return
	}
	put(p.t, path+index.SignatureSuffix, minisign.Sign(*p.key, data))
	put(p.t, filepath.Join(p.dir, index.KeyFile), []byte("untrusted comment: minisign public key\n"+p.pub+"\n"))
}

// contents returns the files of a plugin.
func contents(name, version string, platform manifest.Platform, binary []byte) map[string][]byte {
	bin := manifest.BinaryName(name, platform)
	m := manifest.Manifest{Schema: manifest.Schema, Name: name, Version: version, Protocols: []int{1},
		Detect:    manifest.Detect{AnyFile: []string{"x.toml"}},
		Platforms: map[manifest.Platform]manifest.Binary{platform: {Bin: bin, SHA256: hexSum(binary)}}}
	return map[string][]byte{manifest.File: m.Encode(), bin: binary, "LICENSE": []byte("as is\n")}
}

// packed returns the archive of a plugin.
func packed(t testing.TB, name, version string, platform manifest.Platform, binary []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	err := archive.Pack(t.Context(), &b, archive.FormatFor(platform), contents(name, version, platform, binary),
		map[string]bool{manifest.BinaryName(name, platform): true})
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// unpacked makes a directory with a plugin's files.
func unpacked(t testing.TB, dir, name, version string, binary []byte) string {
	t.Helper()
	for file, data := range contents(name, version, manifest.ThisPlatform(), binary) {
		put(t, filepath.Join(dir, file), data)
	}
	return dir
}

func put(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o755); err != nil {
		t.Fatal(err)
	}
}

func hexSum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// What an index says about an archive and a plugin.
type (
	archiveOf   = index.Archive
	indexPlugin = index.Plugin
)

// resign changes what the index says about tap 1.0.0 on this platform, and signs it again.
func resign(p *publisher, change func(*archiveOf)) {
	p.t.Helper()
	files := p.x.Plugins["tap"].Versions["1.0.0"].Files
	a := files[manifest.ThisPlatform()]
	change(&a)
	files[manifest.ThisPlatform()] = a
	p.publish()
}
