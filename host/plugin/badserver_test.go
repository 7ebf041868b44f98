//go:build unix

package plugin

import (
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
)

// rawServers are plugins that speak the protocol without the SDK and ignore their
// lifeline.
var rawServers = map[string]func() rawServer{
	"bad-utf8":      func() rawServer { return rawServer{testCmd: badUTF8} },
	"stdin-read":    func() rawServer { return rawServer{testCmd: readStdin} },
	"huge-message":  func() rawServer { return rawServer{testCmd: hugeMessage} },
	"ends-early":    func() rawServer { return rawServer{} },
	"no-lifeline":   func() rawServer { return rawServer{} },
	"progress-only": func() rawServer { return rawServer{parse: progressOnly} },
	"hang-describe": func() rawServer { return rawServer{version: func() string { select {} }} },
	"no-version":    func() rawServer { return rawServer{version: func() string { return "" }} },
	"drops-connection": func() rawServer {
		return rawServer{testCmd: func() (*pb.TestCmdResponse, error) { dropConnections(); select {} }}
	},
}

type rawServer struct {
	pb.UnimplementedDetectorServiceServer
	name    string
	version func() string
	testCmd func() (*pb.TestCmdResponse, error)
	parse   func(grpc.BidiStreamingServer[pb.ParseTestFailuresRequest, pb.ParseTestFailuresResponse]) error
	measure func(grpc.ServerStreamingServer[pb.ParseCoverageResponse]) error
}

func (s rawServer) Describe(context.Context, *pb.DescribeRequest) (*pb.DescribeResponse, error) {
	version := "0.0.1"
	if s.version != nil {
		version = s.version()
	}
	m := &pb.DescribeResponse{Name: s.name, Version: version, Language: "raw"}
	if s.measure != nil {
		m.Capabilities = []pb.Capability{pb.Capability_CAPABILITY_INDEX}
	}
	return m, nil
}

func (s rawServer) ParseCoverage(_ *pb.ParseCoverageRequest, stream grpc.ServerStreamingServer[pb.ParseCoverageResponse]) error {
	return s.measure(stream)
}

func (s rawServer) TestCmd(context.Context, *pb.TestCmdRequest) (*pb.TestCmdResponse, error) {
	if s.testCmd == nil {
		return &pb.TestCmdResponse{}, nil
	}
	return s.testCmd()
}

func (s rawServer) ParseTestFailures(stream grpc.BidiStreamingServer[pb.ParseTestFailuresRequest, pb.ParseTestFailuresResponse]) error {
	if s.parse == nil {
		return nil
	}
	return s.parse(stream)
}

func badUTF8() (*pb.TestCmdResponse, error) {
	r := &pb.TestCmdResponse{}
	// Go refuses to encode such a text, so it is added as an unknown field.
	raw := protowire.AppendTag(nil, 2, protowire.BytesType)
	r.ProtoReflect().SetUnknown(protowire.AppendBytes(raw, []byte("\xff\xfe")))
	return r, nil
}

func hugeMessage() (*pb.TestCmdResponse, error) {
	return &pb.TestCmdResponse{Warnings: []string{strings.Repeat("w", 8<<20)}}, nil
}

// readStdin answers with whatever it can read from standard input.
func readStdin() (*pb.TestCmdResponse, error) {
	read := make(chan string, 1)
	go func() {
		buffer := make([]byte, 100)
		n, err := os.Stdin.Read(buffer)
		read <- fmt.Sprintf("%q %v", buffer[:n], err)
	}()
	got := "nothing"
	select {
	case got = <-read:
	case <-time.After(100 * time.Millisecond):
	}
	return &pb.TestCmdResponse{Warnings: []string{got}}, nil
}

func progressOnly(stream grpc.BidiStreamingServer[pb.ParseTestFailuresRequest, pb.ParseTestFailuresResponse]) error {
	for {
		if _, err := stream.Recv(); err != nil {
			break
		}
	}
	for {
		if err := stream.Send(&pb.ParseTestFailuresResponse{Progress: &pb.Progress{RunningTotal: 1}}); err != nil {
			return err
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// dropConnections hangs up on the host and keeps running.
func dropConnections() {
	for fd := range 100 {
		if _, err := syscall.Getpeername(fd); err == nil {
			_ = syscall.Shutdown(fd, syscall.SHUT_RDWR)
		}
	}
}

func serveRaw(name string, s rawServer) {
	s.name = name
	goplugin.Serve(&goplugin.ServeConfig{
		HandshakeConfig:  client.Handshake(),
		VersionedPlugins: map[int]goplugin.PluginSet{1: {sdk.PluginName: rawPlugin{server: s}}},
		GRPCServer: func(opts []grpc.ServerOption) *grpc.Server {
			return grpc.NewServer(append(opts, grpc.MaxSendMsgSize(64<<20))...)
		},
	})
}

type rawPlugin struct {
	goplugin.NetRPCUnsupportedPlugin
	server rawServer
}

func (p rawPlugin) GRPCServer(_ *goplugin.GRPCBroker, s *grpc.Server) error {
	pb.RegisterDetectorServiceServer(s, p.server)
	return nil
}

func (p rawPlugin) GRPCClient(context.Context, *goplugin.GRPCBroker, *grpc.ClientConn) (any, error) {
	return nil, nil
}
