package archive

import (
	"strings"

	"github.com/proctorhq/proctor/host/plugin/manifest"
)

// Format is the format of an archive.
type Format int

// The formats.
const (
	TarGz Format = iota + 1
	Zip
)

// FormatFor returns the usual format on a platform.
func FormatFor(p manifest.Platform) Format {
	if strings.HasPrefix(string(p), "windows_") {
		return Zip
	}
	return TarGz
}

// The first bytes of archives in each format.
const (
	gzipMagic = "\x1f\x8b"
	zipMagic  = "PK\x03\x04"
)

func (f Format) suffix() string {
	if f == Zip {
		return ".zip"
	}
	return ".tar.gz"
}
