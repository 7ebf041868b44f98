package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/cli"
)

// artifact is a file that is published.
type artifact struct{ Name, SHA256 string }

// checksumFile holds the checksums of the other artifacts, in the format of sha256sum.
const checksumFile = "SHA256SUMS"

// release writes the artifacts of a release into a folder.
type release struct {
	dir       string
	out       io.Writer
	stamp     stamp
	artifacts []artifact
	archives  map[platform]artifact
}

// makeRelease makes the release of a commit for some platforms.
func makeRelease(ctx context.Context, source *checkout, platforms []platform, dir string, out io.Writer) error {
	if err := emptyFolder(dir); err != nil {
		return err
	}
	r := &release{dir: dir, out: out, archives: map[platform]artifact{}}
	for _, p := range platforms {
		programs, err := build(ctx, source, p)
		if err != nil {
			return err
		}
		if err := checkSizes(programs); err != nil {
			return err
		}
		if r.stamp, err = readStamp(programs, source.commit); err != nil {
			return err
		}
		licenses, err := findLicenses(ctx, source, linkedModules(programs), r.stamp.goVersion)
		if err != nil {
			return err
		}
		own, err := source.read(licenseFile)
		if err != nil {
			return err
		}
		if err := r.addPlatform(p, programs, licenses, own); err != nil {
			return err
		}
	}
	return r.finish()
}

// emptyFolder creates a folder, or empties one that holds nothing but a complete or partial
// release.
func emptyFolder(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for _, entry := range entries {
		name := entry.Name()
		if name != checksumFile && name != formulaFile && !strings.HasPrefix(name, "proctor_") {
			return fmt.Errorf("%s holds %s, which is not part of a release: name another folder with -o", dir, name)
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.MkdirAll(dir, 0o755)
}

// addPlatform writes the artifacts of a platform.
func (r *release) addPlatform(p platform, programs []program, licenses []license, own []byte) error {
	files, err := contents(programs, licenses, own, r.stamp)
	if err != nil {
		return err
	}
	bill, err := bomOf(programs, licenses, r.stamp, p)
	if err != nil {
		return err
	}
	if _, err := r.write(r.name(p)+".cdx.json", bill); err != nil {
		return err
	}
	if p.os == "linux" {
		data, err := debianPackage(files, r.stamp, p.arch)
		if err != nil {
			return err
		}
		if _, err := r.write(fmt.Sprintf("proctor_%s_%s.deb", debianVersion(r.stamp.number()), p.arch), data); err != nil {
			return err
		}
	}
	return r.addArchive(p, files)
}

// name returns the name of a platform's artifacts, without a suffix, and of the folder in
// its archive.
func (r *release) name(p platform) string {
	return strings.Join([]string{"proctor", r.stamp.number(), p.os, p.arch}, "_")
}

// addArchive writes the archive of a platform.
func (r *release) addArchive(p platform, files []file) error {
	within := slices.Clone(files)
	for i := range within {
		within[i].name = path.Join(r.name(p), within[i].name)
	}
	var data []byte
	var err error
	suffix := ".tar.gz"
	if p.os == "windows" {
		suffix = ".zip"
		data, err = packZip(within, r.stamp.time)
	} else {
		data, err = packTarGz(within, r.stamp.time, false)
	}
	if err != nil {
		return err
	}
	r.archives[p], err = r.write(r.name(p)+suffix, data)
	return err
}

// contents returns the files of an archive.
func contents(programs []program, licenses []license, own []byte, s stamp) ([]file, error) {
	files := []file{{name: licenseFile, data: own}, {name: licensesFile, data: joinLicenses(licenses)}}
	for _, built := range programs {
		files = append(files, file{built.name, built.data, true})
	}
	root := cli.Command()
	scripts, err := completions(root)
	if err != nil {
		return nil, err
	}
	for name, script := range scripts {
		files = append(files, file{name: "completions/" + name, data: script})
	}
	for name, page := range (manual{s.number(), s.time}).pages(root) {
		files = append(files, file{name: "man/man1/" + name, data: page})
	}
	sortFiles(files)
	return files, nil
}

// write writes an artifact and prints its name.
func (r *release) write(name string, data []byte) (artifact, error) {
	sum := sha256.Sum256(data)
	a := artifact{name, hex.EncodeToString(sum[:])}
	r.artifacts = append(r.artifacts, a)
	fmt.Fprintf(r.out, "%s  %5.1f MB  %s\n", a.SHA256[:12], float64(len(data))/1e6, filepath.Join(r.dir, name))
	return a, os.WriteFile(filepath.Join(r.dir, name), data, 0o644)
}

// finish writes the artifacts that cover all platforms.
func (r *release) finish() error {
	formula, err := formula(r.stamp, r.archives)
	switch {
	case errors.Is(err, errFormulaNeedsAll):
		fmt.Fprintf(r.out, "no formula: %v\n", err)
	case err != nil:
		return err
	default:
		if _, err := r.write(formulaFile, formula); err != nil {
			return err
		}
	}
	slices.SortFunc(r.artifacts, func(a, b artifact) int { return strings.Compare(a.Name, b.Name) })
	var sums bytes.Buffer
	for _, a := range r.artifacts {
		fmt.Fprintf(&sums, "%s  %s\n", a.SHA256, a.Name)
	}
	_, err = r.write(checksumFile, sums.Bytes())
	return err
}
