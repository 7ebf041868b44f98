package process

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/proctorhq/proctor/sdk/plugintest/internal/selfsigned"
)

// Names of go-plugin's services, which have no public Go package.
const (
	// ShutdownMethod asks a plugin to end. Its messages are empty.
	ShutdownMethod = "/plugin.GRPCController/Shutdown"
	// HealthService is the name under which a plugin reports that it serves.
	HealthService = "plugin"
)

// Dial connects to the address of a greeting. identity is nil without TLS.
func Dial(g Greeting, identity *Identity) (*grpc.ClientConn, error) {
	transport := insecure.NewCredentials()
	if identity != nil {
		config, err := identity.config(g.Certificate)
		if err != nil {
			return nil, err
		}
		transport = credentials.NewTLS(config)
	}
	target := "passthrough:///" + g.Address
	if g.Network == "unix" {
		target = "unix://" + g.Address
	}
	return grpc.NewClient(target, grpc.WithTransportCredentials(transport))
}

// Identity is a host's certificate for one plugin.
type Identity struct {
	certificate tls.Certificate
	// PEM is the certificate as the plugin receives it.
	PEM string
}

// NewIdentity creates an identity with a new key.
func NewIdentity() (*Identity, error) {
	certificate, pem, err := selfsigned.New()
	return &Identity{certificate: certificate, PEM: string(pem)}, err
}

func (i *Identity) config(server []byte) (*tls.Config, error) {
	parsed, err := x509.ParseCertificate(server)
	if err != nil {
		return nil, fmt.Errorf("the certificate in the handshake: %w", err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return &tls.Config{
		Certificates: []tls.Certificate{i.certificate}, RootCAs: pool, ServerName: selfsigned.Name, MinVersion: tls.VersionTLS12,
	}, nil
}
