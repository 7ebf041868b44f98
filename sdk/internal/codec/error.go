package codec

import (
	"strings"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/protoadapt"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/internal/fit"
)

// maxStatusText bounds each text of a gRPC status. A goroutine's stack fits; the HTTP/2
// trailers that carry a status should not carry more.
const maxStatusText = 16 << 10

// EncodeError returns a detector's refusal as a status.
func EncodeError(e *sdk.Error) *status.Status {
	return statusWith(codes.FailedPrecondition, e.Message, errorInfo(e.Reason))
}

// EncodePanic returns a detector's panic as a status.
func EncodePanic(e *sdk.PanicError) *status.Status {
	return statusWith(codes.Internal, e.Error(), errorInfo(sdk.Panicked),
		&errdetails.DebugInfo{Detail: fit.Text(e.Value, maxStatusText), StackEntries: []string{fit.Text(e.Stack, maxStatusText)}})
}

func errorInfo(reason sdk.Reason) *errdetails.ErrorInfo {
	return &errdetails.ErrorInfo{Reason: fit.Text(string(reason), maxStatusText), Domain: sdk.ErrorDomain}
}

func statusWith(code codes.Code, message string, details ...protoadapt.MessageV1) *status.Status {
	plain := status.New(code, fit.Text(message, maxStatusText))
	detailed, err := plain.WithDetails(details...)
	if err != nil {
		return plain
	}
	return detailed
}

// DecodeError returns the [*sdk.Error] or [*sdk.PanicError] that a status carries, and
// every other error as it is.
func DecodeError(err error) error {
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
