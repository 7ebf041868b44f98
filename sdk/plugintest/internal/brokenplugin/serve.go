package brokenplugin

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/plugintest/internal/selfsigned"
	"github.com/proctorhq/proctor/sdk/server"
)

// SDKMode serves with package sdk, like plugins in Go. All other modes are served by
// hand, like plugins in other languages.
const SDKMode = "sdk"

// Main is the plugin's main function. It returns only when the plugin must end.
func Main(mode string) {
	if mode == SDKMode {
		server.Serve(server.Config{Description: Description(mode), Detector: New(mode)})
		return
	}
	if code, done := beforeServing(mode); done {
		os.Exit(code)
	}
	if err := serveMode(mode); err != nil {
		fmt.Fprintln(os.Stderr, "cannot serve:", err)
		os.Exit(1)
	}
}

// serveMode listens, greets, and serves until it is told to end.
func serveMode(mode string) error {
	listener, err := listen(mode)
	if err != nil {
		return err
	}
	defer func() { _ = listener.Close() }()
	options, certificate, err := tlsOptions(mode)
	if err != nil {
		return err
	}
	rpc := server.New(server.Config{Description: Description(mode), Detector: New(mode)}, append(options, newInterceptors(mode)...)...)
	registerHealth(mode, rpc)
	if mode != "no-controller" {
		rpc.RegisterService(newController(func() {
			if mode == "fails-at-shutdown" {
				os.Exit(3)
			}
			if mode != "ignores-shutdown" {
				go rpc.Stop()
			}
		}), nil)
	}
	fmt.Printf("1|%s|%s|%s|grpc|%s\n", protocolVersion(mode), listener.Addr().Network(), listener.Addr(), certificate)
	lifeline := os.Getenv(sdk.EnvLifeline) == sdk.LifelineStdin && mode != "ignores-lifeline"
	if lifeline || mode == "ends-with-stdin" {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			rpc.Stop()
		}()
	}
	if err := rpc.Serve(listener); !errors.Is(err, grpc.ErrServerStopped) {
		return err
	}
	return nil
}

func protocolVersion(mode string) string {
	switch mode {
	case "other-version":
		return "7"
	case "claims-any-version":
		return os.Getenv("PLUGIN_PROTOCOL_VERSIONS")
	}
	return "1"
}

func listen(mode string) (net.Listener, error) {
	if mode == "listens-on-tcp" || runtime.GOOS == "windows" {
		return net.Listen("tcp", "127.0.0.1:0")
	}
	dir := os.Getenv("PLUGIN_UNIX_SOCKET_DIR")
	if mode == "socket-elsewhere" {
		dir = os.TempDir()
	}
	return net.Listen("unix", filepath.Join(dir, fmt.Sprintf("p%d", os.Getpid())))
}

// tlsOptions returns TLS options if the host gave its certificate.
func tlsOptions(mode string) ([]grpc.ServerOption, string, error) {
	host := os.Getenv("PLUGIN_CLIENT_CERT")
	if host == "" || mode == "ignores-tls" {
		return nil, "", nil
	}
	certificate, _, err := selfsigned.New()
	if err != nil {
		return nil, "", err
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM([]byte(host))
	config := &tls.Config{Certificates: []tls.Certificate{certificate}, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert, MinVersion: tls.VersionTLS12}
	shown := certificate.Certificate[0]
	switch mode {
	case "lets-everybody-in":
		config.ClientAuth = tls.RequireAnyClientCert
	case "shows-other-certificate":
		other, _, err := selfsigned.New()
		if err != nil {
			return nil, "", err
		}
		shown = other.Certificate[0]
	}
	return []grpc.ServerOption{grpc.Creds(credentials.NewTLS(config))}, base64.RawStdEncoding.EncodeToString(shown), nil
}

func registerHealth(mode string, server *grpc.Server) {
	if mode == "no-health" {
		return
	}
	state := healthpb.HealthCheckResponse_SERVING
	if mode == "unhealthy" {
		state = healthpb.HealthCheckResponse_NOT_SERVING
	}
	service := health.NewServer()
	service.SetServingStatus("plugin", state)
	healthpb.RegisterHealthServer(server, service)
}

// newController returns go-plugin's service for ending a plugin.
func newController(end func()) *grpc.ServiceDesc {
	return &grpc.ServiceDesc{ServiceName: "plugin.GRPCController", HandlerType: (*any)(nil), Methods: []grpc.MethodDesc{{
		MethodName: "Shutdown",
		Handler: func(_ any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
			if err := decode(&emptypb.Empty{}); err != nil {
				return nil, err
			}
			end()
			return &emptypb.Empty{}, nil
		},
	}}}
}
