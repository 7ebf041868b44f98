// Package server is a plugin's side of the protocol: it answers a host's calls with an
// [sdk.Detector]. A plugin's main function just calls [Serve].
package server
