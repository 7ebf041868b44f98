package server

import (
	"google.golang.org/protobuf/proto"

	"github.com/proctorhq/proctor/sdk"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
	"github.com/proctorhq/proctor/sdk/internal/codec"
	"github.com/proctorhq/proctor/sdk/internal/fit"
)

// outlineSink collects outlines into messages. A file with more units than fit one
// message continues in the next.
type outlineSink struct {
	batch[pb.OutlineResponse]
}

func newOutlineSink(send func(*pb.OutlineResponse) error) *outlineSink {
	return &outlineSink{batch[pb.OutlineResponse]{send: send, empty: (*pb.OutlineResponse).Reset}}
}

func (s *outlineSink) File(f sdk.OutlinedFile) {
	s.mu.Lock()
	defer s.mu.Unlock()
	// Names are not truncated: the host knows the file by its name.
	name := fit.Arg(f.File)
	m := s.addFile(name, 0)
	for _, u := range f.Units {
		unit := codec.EncodeUnit(u)
		size := proto.Size(unit) + codec.Overhead
		if s.size+size > batchSize {
			m = s.addFile(name, size)
		} else {
			s.size += size
		}
		m.Units = append(m.Units, unit)
	}
}

// addFile starts a file, or a part of one, with room for size bytes of units.
func (s *outlineSink) addFile(name string, size int) *pb.OutlinedFile {
	s.room(len(name) + codec.Overhead + size)
	m := &pb.OutlinedFile{File: name}
	s.next.Files = append(s.next.Files, m)
	return m
}
