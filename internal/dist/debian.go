package main

import (
	"bytes"
	"compress/gzip"
	"crypto/md5"
	_ "embed"
	"fmt"
	"strings"
	"text/template"
)

//go:embed templates/control.tmpl
var controlTemplate string

// debianPackage makes a deb(5) package of the files of an archive, in the places where
// Debian expects them.
func debianPackage(files []file, s stamp, arch string) ([]byte, error) {
	var installed []file
	size := 0
	for _, f := range files {
		place, err := debianPlace(f.name)
		if err != nil {
			return nil, err
		}
		if place == "" {
			continue
		}
		f.name = "./" + place
		if strings.HasSuffix(place, ".gz") {
			if f.data, err = compress(f.data); err != nil {
				return nil, err
			}
		}
		installed = append(installed, f)
		size += len(f.data)
	}
	data, err := packTarGz(installed, s.time, true)
	if err != nil {
		return nil, err
	}
	var sums bytes.Buffer
	for _, f := range installed {
		fmt.Fprintf(&sums, "%x  %s\n", md5.Sum(f.data), strings.TrimPrefix(f.name, "./"))
	}
	fields := struct {
		Version, Arch string
		KiB           int
	}{debianVersion(s.number()), arch, (size + 1023) / 1024}
	about, err := fill("control", controlTemplate, fields)
	if err != nil {
		return nil, err
	}
	control, err := packTarGz([]file{{name: "./control", data: about}, {name: "./md5sums", data: sums.Bytes()}}, s.time, true)
	if err != nil {
		return nil, err
	}
	// dpkg requires this order.
	return packAr([]file{
		{name: "debian-binary", data: []byte("2.0\n")}, {name: "control.tar.gz", data: control}, {name: "data.tar.gz", data: data},
	}, s.time), nil
}

// debianPlace returns where a file of the archive is installed; "" means not at all.
func debianPlace(name string) (string, error) {
	folder, base, _ := strings.Cut(name, "/")
	switch {
	case strings.HasPrefix(name, "proctor"):
		return "usr/bin/" + name, nil
	case folder == "man":
		return "usr/share/" + name + ".gz", nil
	case base == "proctor.bash":
		return "usr/share/bash-completion/completions/proctor", nil
	case base == "_proctor":
		return "usr/share/zsh/vendor-completions/_proctor", nil
	case base == "proctor.fish":
		return "usr/share/fish/vendor_completions.d/proctor.fish", nil
	case name == licenseFile, name == licensesFile:
		return "usr/share/doc/proctor/" + name, nil
	case base == "proctor.ps1":
		return "", nil
	}
	return "", fmt.Errorf("the Debian package has no place for %s: add one to debianPlace", name)
}

// debianVersion returns a version that Debian orders correctly: only ~ sorts before the end
// of a version.
func debianVersion(number string) string {
	release, pre, isPre := strings.Cut(number, "-")
	if !isPre {
		return release
	}
	return release + "~" + strings.ReplaceAll(pre, "-", ".")
}

// compress compresses a file without storing a name and a time.
func compress(data []byte) ([]byte, error) {
	var zipped bytes.Buffer
	w, err := gzip.NewWriterLevel(&zipped, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return zipped.Bytes(), nil
}

// fill executes a template. A missing field is an error.
func fill(name, text string, fields any) ([]byte, error) {
	t, err := template.New(name).Option("missingkey=error").Parse(text)
	if err != nil {
		return nil, err
	}
	var filled bytes.Buffer
	if err := t.Execute(&filled, fields); err != nil {
		return nil, err
	}
	return filled.Bytes(), nil
}
