package fingerprint

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
)

// The coded form, as stored in databases:
//
//	format   1 byte: wholeFormat or deltaFormat
//	size     uvarint: bytes of the names that follow, compressed
//	names    deflated; for each entry, sorted by path: uvarint of how many bytes its
//	         path shares with the one before, uvarint of how many follow, those,
//	         1 byte of mode, or gone
//	hashes   12 bytes for each entry that is not gone; they do not compress
const (
	wholeFormat = 1
	deltaFormat = 2
	gone        = 0xff
)

// Bounds on decoding. No file system has longer paths, and those of a repository of a
// million files take about 60 MB.
const (
	maxPath  = 1 << 14
	maxPaths = 256 << 20
)

var errGarbled = errors.New("the recorded list of files is damaged")

// record is an entry of the coded form.
type record struct {
	file File
	gone bool
}

// Encode encodes files, sorted by path, compactly.
func Encode(files []File) []byte {
	records := make([]record, len(files))
	for i, f := range files {
		records[i].file = f
	}
	return encode(wholeFormat, records)
}

// Decode decodes the result of Encode. For any input it returns files sorted by path,
// each path once, or an error.
func Decode(data []byte) ([]File, error) {
	records, err := decode(wholeFormat, data)
	if err != nil {
		return nil, err
	}
	files := make([]File, len(records))
	for i, r := range records {
		if r.gone {
			return nil, errGarbled
		}
		files[i] = r.file
	}
	return files, nil
}

// Delta encodes the difference from base to files, both sorted by path.
func Delta(base, files []File) []byte {
	var records []record
	merge(base, files, func(before, now *File) {
		switch {
		case now == nil:
			records = append(records, record{File{Path: before.Path}, true})
		case before == nil || *before != *now:
			records = append(records, record{*now, false})
		}
	})
	return encode(deltaFormat, records)
}

// Apply applies a delta to its base. It cannot detect a wrong base: the caller compares
// the id of the result, see [Identify].
func Apply(base []File, delta []byte) ([]File, error) {
	records, err := decode(deltaFormat, delta)
	if err != nil {
		return nil, err
	}
	files := make([]File, 0, len(base)+len(records))
	for _, r := range records {
		for len(base) > 0 && base[0].Path < r.file.Path {
			files, base = append(files, base[0]), base[1:]
		}
		if len(base) > 0 && base[0].Path == r.file.Path {
			base = base[1:]
		}
		if !r.gone {
			files = append(files, r.file)
		}
	}
	return append(files, base...), nil
}

func encode(format byte, records []record) []byte {
	var names bytes.Buffer
	z, err := flate.NewWriter(&names, flate.BestSpeed)
	if err != nil {
		panic(err) // only for an invalid level
	}
	buf := make([]byte, 0, 1<<12)
	hashes := make([]byte, 0, len(records)*len(Hash{}))
	last := ""
	for _, r := range records {
		n := countShared(last, r.file.Path)
		buf = binary.AppendUvarint(buf[:0], uint64(n))
		buf = binary.AppendUvarint(buf, uint64(len(r.file.Path)-n))
		buf = append(buf, r.file.Path[n:]...)
		if r.gone {
			buf = append(buf, gone)
		} else {
			buf = append(buf, byte(r.file.Mode))
			hashes = append(hashes, r.file.Hash[:]...)
		}
		z.Write(buf) // writing to a buffer cannot fail
		last = r.file.Path
	}
	z.Close()
	out := binary.AppendUvarint([]byte{format}, uint64(names.Len()))
	out = append(out, names.Bytes()...)
	return append(out, hashes...)
}

func countShared(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func decode(format byte, data []byte) ([]record, error) {
	if len(data) == 0 || data[0] != format {
		return nil, fmt.Errorf("%w: it has an unknown format", errGarbled)
	}
	size, n := binary.Uvarint(data[1:])
	rest := data[1+max(n, 0):]
	if n <= 0 || size > uint64(len(rest)) {
		return nil, fmt.Errorf("%w: it is cut off", errGarbled)
	}
	names, hashes := flate.NewReader(bytes.NewReader(rest[:size])), rest[size:]
	raw, err := io.ReadAll(io.LimitReader(names, maxPaths+1))
	if err != nil {
		return nil, fmt.Errorf("%w: %v", errGarbled, err)
	}
	if len(raw) > maxPaths {
		return nil, fmt.Errorf("%w: its paths are longer than %d bytes", errGarbled, maxPaths)
	}
	return decodeRecords(raw, hashes)
}

// decodeRecords decodes the entries. Small garbage must not become large: extending a
// path costs at least one byte, and all paths together are bounded.
func decodeRecords(raw, hashes []byte) ([]record, error) {
	var records []record
	last, total := "", 0
	for len(raw) > 0 {
		keep, a := binary.Uvarint(raw)
		more, b := binary.Uvarint(raw[max(a, 0):])
		if a <= 0 || b <= 0 || keep > uint64(len(last)) || more > maxPath || keep+more > maxPath {
			return nil, errGarbled
		}
		raw = raw[a+b:]
		if uint64(len(raw)) < more+1 {
			return nil, errGarbled
		}
		path := last[:keep] + string(raw[:more])
		mode := raw[more]
		raw = raw[more+1:]
		if total += len(path); total > maxPaths || strings.Compare(path, last) <= 0 {
			return nil, errGarbled
		}
		last = path
		r := record{file: File{Path: path}}
		switch {
		case mode == gone:
			r.gone = true
		case mode > byte(Submodule) || len(hashes) < len(Hash{}):
			return nil, errGarbled
		default:
			r.file.Mode = Mode(mode)
			hashes = hashes[copy(r.file.Hash[:], hashes):]
		}
		records = append(records, r)
	}
	if len(hashes) > 0 {
		return nil, errGarbled
	}
	return records, nil
}
