// Package client is a host's side of the detector protocol in package sdk's
// types: the calls of one plugin, and the streams that carry a command's output
// to it and events back.
//
// It does not find, start or stop plugins, nor explain their errors: a call returns
// a gRPC status error, except for the plugin's own [sdk.Error] and [sdk.PanicError].
// It does not validate what a plugin says; the host does.
package client
