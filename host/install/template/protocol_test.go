package template

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/proctorhq/proctor/sdk/detectorpb"
)

var update = flag.Bool("update", false, "write the copies of the protocol anew")

// descriptorSet returns the output of protoc --descriptor_set_out for the protocol.
func descriptorSet(t *testing.T) []byte {
	t.Helper()
	file := protodesc.ToFileDescriptorProto(detectorpb.File_proctor_detector_v1_detector_proto)
	raw, err := proto.MarshalOptions{Deterministic: true}.Marshal(&descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{file}})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestTemplatesHaveTheProtocolAsItIs(t *testing.T) {
	source, err := os.ReadFile("../../../sdk/detectorpb/proctor/detector/v1/detector.proto")
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string][]byte{
		"files/proto/detector.proto.tmpl":             source,
		"files/python/src/plugin/detector.binpb.tmpl": descriptorSet(t),
	} {
		path = filepath.FromSlash(path)
		if *update {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what sdk/detectorpb has (%v): go test ./host/install/template -update", path, err)
		}
		if bytes.Contains(want, []byte("@NAME@")) {
			t.Errorf("%s has a word of the templates in it", path)
		}
	}
}
