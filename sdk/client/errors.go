package client

import (
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// errEndedEarly reports a plugin that ended before it knew how the command ended: its
// report cannot be complete.
func errEndedEarly() error {
	return status.Error(codes.Internal, "the plugin ended the stream before it received the exit of the command")
}

// errClosed reports a caller's mistake.
func errClosed() error {
	return status.Error(codes.FailedPrecondition, "the stream was already closed with an exit")
}
