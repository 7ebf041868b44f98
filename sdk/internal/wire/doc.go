// Package wire makes protocol messages fit to be sent: texts are valid UTF-8
// and no message grows beyond what gRPC libraries accept by default.
//
// It knows the generated messages only. The conversions to and from package
// sdk's types stand where they are used: in sdk for a plugin, in sdk/client for
// a host.
package wire
