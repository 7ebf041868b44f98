package plugintest

import (
	"context"
	"net"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
	"github.com/proctorhq/proctor/sdk/server"
)

// pipeSize is the buffer of the connection, about that of a Unix socket.
const pipeSize = 256 << 10

// Start serves a detector and returns the host's side of the connection. Both
// end with the test.
func Start(t testing.TB, detector sdk.Detector, description sdk.Description) *client.Detector {
	t.Helper()
	return client.New(Connect(t, detector, description))
}

// Connect is Start without the client: the bare connection, for tests that
// speak the generated protocol.
func Connect(t testing.TB, detector sdk.Detector, description sdk.Description) *grpc.ClientConn {
	t.Helper()
	listener := bufconn.Listen(pipeSize)
	rpc := server.New(server.Config{Description: description, Detector: detector})
	served := make(chan error, 1)
	go func() { served <- rpc.Serve(listener) }()
	conn, err := grpc.NewClient("passthrough:///"+sdk.PluginName,
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }),
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = conn.Close()
		rpc.Stop()
		if err := <-served; err != nil {
			t.Errorf("serving ended with: %v", err)
		}
	})
	return conn
}
