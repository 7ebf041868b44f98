package client

import (
	"context"

	"google.golang.org/grpc"

	"github.com/proctorhq/proctor/sdk"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
	"github.com/proctorhq/proctor/sdk/internal/codec"
	"github.com/proctorhq/proctor/sdk/internal/fit"
)

// Detector is a detector in another process. It is safe for concurrent use.
type Detector struct {
	rpc pb.DetectorServiceClient
}

// New speaks to the detector at the other end of conn. Messages are limited to
// [sdk.MaxMessage] in both directions, whatever the connection allows.
func New(conn grpc.ClientConnInterface) *Detector {
	return &Detector{rpc: pb.NewDetectorServiceClient(limited{conn})}
}

// Describe asks who the plugin is. It must be the first call.
func (d *Detector) Describe(ctx context.Context, hostVersion string) (Identity, error) {
	m, err := d.rpc.Describe(ctx, &pb.DescribeRequest{
		HostVersion:      fit.Name(hostVersion),
		HostCapabilities: []pb.Capability{pb.Capability_CAPABILITY_SCRATCH},
	})
	return decodeIdentity(m), codec.DecodeError(err)
}

// Detect asks whether a directory holds a project.
func (d *Detector) Detect(ctx context.Context, ws sdk.Workspace) (sdk.Detection, error) {
	m, err := d.rpc.Detect(ctx, &pb.DetectRequest{Workspace: codec.EncodeWorkspace(ws)})
	return codec.DecodeDetection(m), codec.DecodeError(err)
}

// TestCmd asks for the commands of a run. An empty plan means that the plugin
// cannot do it.
func (d *Detector) TestCmd(ctx context.Context, req sdk.TestRequest) (sdk.Plan, error) {
	m, err := d.rpc.TestCmd(ctx, codec.EncodeTestRequest(req))
	return codec.DecodePlan(m), codec.DecodeError(err)
}

// RerunCmd asks for the commands that run exactly the targets. A target in no
// command cannot be rerun.
func (d *Detector) RerunCmd(ctx context.Context, req sdk.RerunRequest) (sdk.Plan, error) {
	m, err := d.rpc.RerunCmd(ctx, codec.EncodeRerunRequest(req))
	return codec.DecodePlan(m), codec.DecodeError(err)
}

// Scaffold asks what a source set needs around it. It requires
// Identity.Scaffold.
func (d *Detector) Scaffold(ctx context.Context, req sdk.ScaffoldRequest) (sdk.Scaffold, error) {
	m, err := d.rpc.Scaffold(ctx, codec.EncodeScaffoldRequest(req))
	return codec.DecodeScaffold(m), codec.DecodeError(err)
}

// ListCmd asks for the commands that list tests. It requires Identity.List.
func (d *Detector) ListCmd(ctx context.Context, req sdk.ListRequest) (sdk.Plan, error) {
	m, err := d.rpc.ListCmd(ctx, codec.EncodeListRequest(req))
	return codec.DecodePlan(m), codec.DecodeError(err)
}

// limited is a connection whose calls carry the protocol's message limits.
type limited struct {
	grpc.ClientConnInterface
}

func (l limited) Invoke(ctx context.Context, method string, args, reply any, opts ...grpc.CallOption) error {
	return l.ClientConnInterface.Invoke(ctx, method, args, reply, withLimits(opts)...)
}

func (l limited) NewStream(ctx context.Context, desc *grpc.StreamDesc, method string, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	return l.ClientConnInterface.NewStream(ctx, desc, method, withLimits(opts)...)
}

func withLimits(opts []grpc.CallOption) []grpc.CallOption {
	return append(opts, grpc.MaxCallRecvMsgSize(sdk.MaxMessage), grpc.MaxCallSendMsgSize(sdk.MaxMessage))
}
