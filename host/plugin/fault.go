package plugin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
)

const (
	// exitLimit is how long to wait for the process to end after its connection was
	// lost, so that the user learns of a crash and not of a connection. The kernel
	// closes the socket a moment before it reports the end.
	exitLimit = time.Second
	// exitGlance is the same where a crash is only one of several explanations.
	exitGlance = 50 * time.Millisecond
	// deadlineSkew is how much earlier than ours a plugin's timer may fire.
	deadlineSkew = 20 * time.Millisecond
)

// explain turns what gRPC reports about a call into an error of this package.
// It is the only place that does.
//
//	the caller gave up      its own error, nothing about the plugin
//	we closed the plugin    ClosedError
//	UNAVAILABLE             CrashedError once the process has ended
//	our deadline            HungError; the process is killed
//	RESOURCE_EXHAUSTED      TooBigError, as for an answer of too many messages
//	UNIMPLEMENTED           UnsupportedError
//	INTERNAL, DATA_LOSS     ProtocolError: unreadable messages, streams out of order
//	anything else           CallError with the plugin's message
func (i *instance) explain(ctx context.Context, call string, err error) error {
	if err == nil {
		return nil
	}
	settle(ctx, err)
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %s: %w", i.who(), call, context.Cause(ctx))
	}
	if i.isClosed() {
		return &ClosedError{Plugin: i.who()}
	}
	if fault := i.faulted(); fault != nil {
		return fault
	}
	if isOwn(err) {
		return &CallError{Plugin: i.who(), Call: call, Err: err}
	}
	if much, ok := errors.AsType[*client.TooMuchError](err); ok {
		return &TooBigError{Plugin: i.who(), Call: call, Limit: much.Limit, Reason: cleanLine(much.Error(), lineMax)}
	}
	reason := cleanLine(status.Convert(err).Message(), lineMax)
	switch code := status.Code(err); code {
	case codes.Unavailable:
		return i.explainLost(call)
	case codes.ResourceExhausted:
		return &TooBigError{Plugin: i.who(), Call: call, Limit: sdk.MaxMessage, Reason: reason}
	case codes.Unimplemented:
		return &UnsupportedError{Plugin: i.who(), Call: call}
	case codes.Internal, codes.DataLoss, codes.Unknown, codes.Canceled:
		if i.process.waitFor(exitGlance) {
			return i.crashError(call)
		}
		if code == codes.Internal || code == codes.DataLoss {
			return &ProtocolError{Plugin: i.who(), Call: call, Reason: reason}
		}
		fallthrough
	default:
		return &CallError{Plugin: i.who(), Call: call, Err: fmt.Errorf("%s (%s)", reason, code)}
	}
}

// settle waits for a deadline that the plugin's side noticed a moment before ours, since gRPC
// passes it to the server.
func settle(ctx context.Context, err error) {
	deadline, ok := ctx.Deadline()
	if ok && status.Code(err) == codes.DeadlineExceeded && time.Until(deadline) < deadlineSkew {
		<-ctx.Done()
	}
}

// explainLost explains a broken connection.
func (i *instance) explainLost(call string) error {
	if i.process.waitFor(exitLimit) {
		if fault := i.faulted(); fault != nil {
			return fault
		}
		return i.crashError(call)
	}
	if i.identity.Name == "" {
		_ = i.process.Kill(context.Background())
		e := i.handshakeError(nil)
		e.Reason, e.Advice = "nothing listens on the socket it named", notAPlugin
		return i.condemn(e)
	}
	return i.condemn(&ProtocolError{Plugin: i.who(), Call: call, Reason: "it closed its connection and went on running; it was killed"})
}

// crashError describes a process that ended by itself. Later callers, outside any call, are
// told the call that it ended in.
func (i *instance) crashError(call string) *CrashedError {
	i.mu.Lock()
	if i.during == "" {
		i.during = call
	}
	call = cmp.Or(call, i.during)
	i.mu.Unlock()
	e := &CrashedError{
		Plugin:  i.who(),
		Call:    call,
		Exit:    i.process.exit,
		Stderr:  i.journal.tail(lastLines),
		GivenUp: i.last,
	}
	if e.Exit.Code != 0 || e.Exit.Signal != "" {
		e.Panic = i.journal.panicText()
	}
	return e
}

// killHung kills a process that does not answer.
func (i *instance) killHung(call, waiting string, after time.Duration) error {
	return i.condemn(&HungError{
		Plugin:  i.who(),
		Call:    call,
		After:   after,
		Waiting: waiting,
		Stderr:  i.journal.tail(lastLines),
		GivenUp: i.last,
	})
}

func (i *instance) violated(call string, v *violation) error {
	return &ProtocolError{Plugin: i.who(), Call: call, Field: v.field, Reason: v.reason}
}

// isOwn reports whether a detector itself returned the error.
func isOwn(err error) bool {
	var refusal *sdk.Error
	var panicked *sdk.PanicError
	return errors.As(err, &refusal) || errors.As(err, &panicked)
}
