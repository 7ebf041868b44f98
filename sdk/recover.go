package sdk

import (
	"context"

	"google.golang.org/grpc"
)

// gRPC handlers do not recover: without these two a panic in one call would end
// the process, and with it every other stream of the plugin.

func recoverUnary(ctx context.Context, req any, _ *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (resp any, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = asPanic(r)
		}
	}()
	return handler(ctx, req)
}

func recoverStream(srv any, ss grpc.ServerStream, _ *grpc.StreamServerInfo, handler grpc.StreamHandler) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = asPanic(r)
		}
	}()
	return handler(srv, ss)
}
