package client

import (
	"strings"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/proctorhq/proctor/sdk"
)

// restoreError returns the plugin's own error if err carries one. Both kinds still convert
// to their gRPC status.
func restoreError(err error) error {
	s, ok := status.FromError(err)
	if err == nil || !ok {
		return err
	}
	var reason sdk.Reason
	var debug *errdetails.DebugInfo
	for _, detail := range s.Details() {
		switch d := detail.(type) {
		case *errdetails.ErrorInfo:
			if d.GetDomain() == sdk.ErrorDomain {
				reason = sdk.Reason(d.GetReason())
			}
		case *errdetails.DebugInfo:
			debug = d
		}
	}
	switch reason {
	case "":
		return err
	case sdk.Panicked:
		return &sdk.PanicError{Value: debug.GetDetail(), Stack: strings.Join(debug.GetStackEntries(), "\n")}
	}
	return &sdk.Error{Reason: reason, Message: s.Message()}
}

// errEndedEarly reports a plugin that ended before it knew how the command ended: its
// report cannot be complete.
func errEndedEarly() error {
	return status.Error(codes.Internal, "the plugin ended the stream before it received the exit of the command")
}

// errClosed reports a caller's mistake.
func errClosed() error {
	return status.Error(codes.FailedPrecondition, "the stream was already closed with an exit")
}
