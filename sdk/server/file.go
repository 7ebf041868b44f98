package server

import (
	"context"
	"errors"
	"io"
	"os"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "github.com/proctorhq/proctor/sdk/detectorpb"
	"github.com/proctorhq/proctor/sdk/internal/codec"
)

// fileChunk is how much of a file is read at once. It fits into a processor's cache.
const fileChunk = 128 << 10

// fileReader reads the parts of files with recorded output. Its zero value is ready to use.
type fileReader struct {
	// file is the one of the last part.
	file   *os.File
	buffer []byte
	// read is how many bytes of all files were read.
	read int64
}

// open opens a file, unless it is that of the last part.
func (r *fileReader) open(path string) error {
	if r.file != nil && r.file.Name() == path {
		return nil
	}
	r.close()
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	r.file = file
	if r.buffer == nil {
		r.buffer = make([]byte, fileChunk)
	}
	return nil
}

func (r *fileReader) close() {
	if r.file != nil {
		r.file.Close() // it was only read
		r.file = nil
	}
}

// readFile passes a part of a file to the parser. It is an error if the file does not have
// all of it: the report would look like one of the whole output.
func (f *feed) readFile(ctx context.Context, part *pb.OutputFile) error {
	if part.GetOffset() < 0 || part.GetSize() < 0 {
		return status.Error(codes.InvalidArgument, "a part of a file has a negative offset or size")
	}
	if err := f.files.open(part.GetPath()); err != nil {
		return status.Errorf(codes.Aborted, "cannot read the recorded output: %v", err)
	}
	for at, end := part.GetOffset(), part.GetOffset()+part.GetSize(); at < end; {
		if err := ctx.Err(); err != nil {
			return status.FromContextError(err).Err()
		}
		n, err := f.files.file.ReadAt(f.files.buffer[:min(end-at, fileChunk)], at)
		if n == 0 {
			if errors.Is(err, io.EOF) {
				return status.Errorf(codes.Aborted, "the recorded output %s became shorter while it was read", part.GetPath())
			}
			return status.Errorf(codes.Aborted, "cannot read the recorded output: %v", err)
		}
		at, f.files.read = at+int64(n), f.files.read+int64(n)
		if err := f.write(codec.DecodeStream(part.GetStream()), f.files.buffer[:n]); err != nil {
			return err
		}
	}
	return f.fileRead(f.files.read)
}
