package artifact

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// readIn reads a regular file in dir: it rejects names and symlinks that lead out of
// it.
func readIn(ctx context.Context, dir, name string, limit int64) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	name = filepath.FromSlash(name)
	// Opening a pipe would block, so check before.
	info, err := root.Stat(name)
	if err == nil {
		err = checkReadable(info, limit)
	}
	if err != nil {
		return nil, err
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f, info.Size(), limit)
}

func checkReadable(info fs.FileInfo, limit int64) error {
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", info.Name())
	}
	if info.Size() > limit {
		return fmt.Errorf("%s has %d bytes; no more than %d are read", info.Name(), info.Size(), limit)
	}
	return nil
}

func readAll(r io.Reader, size, limit int64) ([]byte, error) {
	data := make([]byte, 0, size+1)
	for {
		n, err := r.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case err == io.EOF:
			return data, nil
		case err != nil:
			return nil, err
		case int64(len(data)) > limit:
			return nil, fmt.Errorf("the file grew beyond %d bytes while it was read", limit)
		case len(data) == cap(data):
			data = append(data, 0)[:len(data)]
		}
	}
}

// Bounds in bytes. Real files are far smaller: the largest artifact of Uniswap v4 has 2
// MB, the index of a project with 1,000 files 3 MB.
const (
	maxIndex     = 64 << 20
	maxArtifact  = 50 << 20
	maxBuildInfo = 64 << 20
	maxSource    = 10 << 20
	// maxCode is the longest code that is parsed. The chain allows 24 KiB; tests may be
	// larger.
	maxCode = 4 << 20
	// maxTotal is how much is read of one project in total.
	maxTotal = 4 << 30
	// maxBuilds is how many build-info files are kept in memory.
	maxBuilds = 256
)
