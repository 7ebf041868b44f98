package client

import (
	"github.com/proctorhq/proctor/sdk"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
	"github.com/proctorhq/proctor/sdk/internal/codec"
)

// Identity is a plugin's answer to Describe.
type Identity struct {
	sdk.Description
	// SDKVersion is the version of the SDK that the plugin was built with; empty
	// without an SDK.
	SDKVersion string
	// List reports whether ListCmd and ParseList are implemented.
	List bool
	// Progress reports whether ParseOptions.ProgressInterval is supported.
	Progress bool
	// Scaffold reports whether Scaffold is implemented.
	Scaffold bool
	// Index reports whether IndexCmd and ParseCoverage are implemented.
	Index bool
	// Outline reports whether Outline is implemented.
	Outline bool
	// Files reports whether ParseStream.SendFile is supported.
	Files bool
}

// decodeIdentity ignores unknown capabilities: this host has no use for them.
func decodeIdentity(m *pb.DescribeResponse) Identity {
	id := Identity{Description: codec.DecodeDescription(m), SDKVersion: m.GetSdkVersion()}
	for _, c := range m.GetCapabilities() {
		switch c {
		case pb.Capability_CAPABILITY_LIST:
			id.List = true
		case pb.Capability_CAPABILITY_OUTPUT_OF:
			id.OutputOf = true
		case pb.Capability_CAPABILITY_PROGRESS:
			id.Progress = true
		case pb.Capability_CAPABILITY_SEED:
			id.Seed = true
		case pb.Capability_CAPABILITY_LOCATE:
			id.Locate = true
		case pb.Capability_CAPABILITY_SCAFFOLD:
			id.Scaffold = true
		case pb.Capability_CAPABILITY_COVER:
			id.Cover = true
		case pb.Capability_CAPABILITY_INDEX:
			id.Index = true
		case pb.Capability_CAPABILITY_DEPENDENCIES:
			id.Dependencies = true
		case pb.Capability_CAPABILITY_OUTLINE:
			id.Outline = true
		case pb.Capability_CAPABILITY_CACHED:
			id.Cached = true
		case pb.Capability_CAPABILITY_FILES:
			id.Files = true
		}
	}
	return id
}
