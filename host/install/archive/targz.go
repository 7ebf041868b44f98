package archive

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"io"
	"strings"
)

// maxTarHeaders bounds a tar archive besides its files, in bytes: headers and padding.
// Those of 64 files and GNU tar's last record take 0.1 MiB.
const maxTarHeaders = 1 << 20

// kinds are the words for entries that are not regular files.
var kinds = map[byte]string{
	tar.TypeLink:          "a hard link",
	tar.TypeSymlink:       "a symbolic link",
	tar.TypeChar:          "a device",
	tar.TypeBlock:         "a device",
	tar.TypeDir:           "a directory",
	tar.TypeFifo:          "a named pipe",
	tar.TypeXGlobalHeader: "a global header",
	tar.TypeGNUSparse:     "a sparse file",
}

func (x *extraction) unpackTarGz(content io.Reader) error {
	// With a buffer of ours, gzip does not read past its end.
	compressed := bufio.NewReader(content)
	unzipped, err := gzip.NewReader(compressed)
	if err != nil {
		return x.explainReadError("", err)
	}
	unzipped.Multistream(false)
	stream := &tarStream{x: x, from: unzipped, left: x.limits.total + maxTarHeaders}
	for files := tar.NewReader(stream); ; {
		h, err := files.Next()
		if err == io.EOF {
			return x.checkTarEnd(stream, compressed)
		}
		if err != nil {
			return x.explainReadError("", err)
		}
		if err := x.unpackTarEntry(h, files); err != nil {
			return err
		}
	}
}

func (x *extraction) unpackTarEntry(h *tar.Header, content io.Reader) error {
	if err := x.count(); err != nil {
		return err
	}
	if h.Typeflag == tar.TypeDir && isSelf(h.Name) {
		return nil
	}
	if h.Typeflag != tar.TypeReg {
		kind, known := kinds[h.Typeflag]
		if !known {
			kind = "of an unknown kind"
		}
		return x.refuse(h.Name, "it is %s; a plugin has regular files side by side", kind)
	}
	for key := range h.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return x.refuse(h.Name, "it is a sparse file; a plugin has regular files side by side")
		}
	}
	return x.writeFile(h.Name, h.Size, content)
}

// checkTarEnd reads to the end: that verifies gzip's checksum, and nothing may follow, since
// another program might find other files there.
func (x *extraction) checkTarEnd(stream *tarStream, compressed io.ByteReader) error {
	if stream.ended {
		return x.refuse("", "the archive is cut short")
	}
	for {
		n, err := stream.Read(x.block)
		if strings.Trim(string(x.block[:n]), "\x00") != "" {
			return x.refuse("", "there is data after the end of the archive")
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return x.explainReadError("", err)
		}
	}
	if _, err := compressed.ReadByte(); err == nil {
		return x.refuse("", "there is data after the end of the archive")
	} else if err != io.EOF {
		return x.explainReadError("", err)
	}
	return nil
}

// tarStream is the unzipped stream. It ends with the context, or if a few bytes unpack to
// endless headers.
type tarStream struct {
	x    *extraction
	from io.Reader
	left int64
	// ended reports whether a read went past the end.
	ended bool
}

func (s *tarStream) Read(p []byte) (int, error) {
	if err := s.x.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := s.from.Read(p)
	if s.left -= int64(n); s.left < 0 {
		return 0, s.x.refuse("", "it unpacks to more than %d bytes", s.x.limits.total+maxTarHeaders)
	}
	if err == io.EOF {
		if n > 0 {
			return n, nil
		}
		s.ended = true
	}
	return n, err
}
