// Package client is a host's side of the detector protocol in package sdk's
// types: the calls of one plugin, and the streams that carry a command's output
// to it and events back.
//
// It is not responsible for finding, starting or stopping plugins, nor for
// explaining their errors: what a call returns is a gRPC status error, except
// for the plugin's own [sdk.Error] and [sdk.PanicError]. It checks nothing that
// a plugin says; the host does.
package client
