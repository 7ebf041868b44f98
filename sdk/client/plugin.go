package client

import (
	"context"
	"errors"

	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/proctorhq/proctor/sdk"
)

// Plugin makes go-plugin's Dispense return a [*Detector].
type Plugin struct {
	plugin.NetRPCUnsupportedPlugin
}

// Plugins is what a go-plugin client negotiates: Dispense [sdk.PluginName].
func Plugins() map[int]plugin.PluginSet {
	return map[int]plugin.PluginSet{sdk.ProtocolVersion: {sdk.PluginName: &Plugin{}}}
}

// Handshake is what host and plugins agree on before they speak the protocol.
func Handshake() plugin.HandshakeConfig {
	return plugin.HandshakeConfig{ProtocolVersion: sdk.ProtocolVersion, MagicCookieKey: sdk.EnvCookie, MagicCookieValue: sdk.Cookie}
}

// GRPCClient returns a *Detector that speaks over conn.
func (*Plugin) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, conn *grpc.ClientConn) (any, error) {
	return New(conn), nil
}

// GRPCServer is never called on the host's side.
func (*Plugin) GRPCServer(*plugin.GRPCBroker, *grpc.Server) error {
	return errors.New("client.Plugin is a host's side and cannot serve: a plugin calls server.Serve")
}
