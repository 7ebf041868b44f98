package template

import (
	"fmt"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/proctorhq/proctor/sdk/detectorpb"
)

// protocol returns the protocol in the forms that a plugin in the language needs. The sdk
// has it for Go.
func (l Language) protocol() ([]file, error) {
	if l == Go {
		return nil, nil
	}
	files := []file{{path: "detector.proto", content: detectorpb.Source(), mode: 0o644}}
	if l == Python {
		set, err := descriptorSet()
		if err != nil {
			return nil, err
		}
		files = append(files, file{path: "src/plugin/detector.binpb", content: set, mode: 0o644})
	}
	return files, nil
}

// descriptorSet returns the output of protoc --descriptor_set_out for the protocol, so that
// nobody needs protoc to build a plugin in Python.
func descriptorSet() ([]byte, error) {
	schema := protodesc.ToFileDescriptorProto(detectorpb.File_proctor_detector_v1_detector_proto)
	set := &descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{schema}}
	raw, err := proto.MarshalOptions{Deterministic: true}.Marshal(set)
	if err != nil {
		return nil, fmt.Errorf("describing the protocol: %w", err)
	}
	return raw, nil
}
