package client_test

import (
	"context"
	"net"
	"testing"

	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"

	"github.com/proctorhq/proctor/sdk/client"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// peer is a plugin that speaks the raw protocol, correctly or not.
type peer struct {
	pb.UnimplementedDetectorServiceServer
	describe func() *pb.DescribeResponse
	testCmd  func(context.Context) (*pb.TestCmdResponse, error)
	parse    func(grpc.BidiStreamingServer[pb.ParseTestFailuresRequest, pb.ParseTestFailuresResponse]) error
}

func (p peer) Describe(context.Context, *pb.DescribeRequest) (*pb.DescribeResponse, error) {
	return p.describe(), nil
}

func (p peer) TestCmd(ctx context.Context, _ *pb.TestCmdRequest) (*pb.TestCmdResponse, error) {
	return p.testCmd(ctx)
}

func (p peer) ParseTestFailures(rpc grpc.BidiStreamingServer[pb.ParseTestFailuresRequest, pb.ParseTestFailuresResponse]) error {
	return p.parse(rpc)
}

// connect serves p over a connection that allows large messages, as go-plugin's
// does.
func connect(t *testing.T, p peer) *client.Detector {
	t.Helper()
	listener := bufconn.Listen(1 << 16)
	server := grpc.NewServer(grpc.MaxRecvMsgSize(1 << 30))
	pb.RegisterDetectorServiceServer(server, p)
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	conn, err := grpc.NewClient("passthrough:///peer",
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(1<<30)),
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = conn.Close()
		server.Stop()
		<-served
	})
	return client.New(conn)
}
