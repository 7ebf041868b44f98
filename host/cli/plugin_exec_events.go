package cli

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"

	"google.golang.org/protobuf/proto"

	pb "github.com/proctorhq/proctor/sdk/detectorpb"
	recorded "github.com/proctorhq/proctor/sdk/plugintest/golden"
)

// follow sends a recording and prints the events as they come.
func (e *execution) follow(ctx context.Context, r recorded.Recording) error {
	ctx, cancel := context.WithCancel(ctx)
	rpc, err := e.rpc.ParseTestFailures(ctx)
	if err != nil {
		cancel()
		return err
	}
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		for m := range r.Requests() {
			if rpc.Send(m) != nil {
				break // the answer tells why
			}
		}
		_ = rpc.CloseSend()
	}()
	defer func() { cancel(); <-sent }()
	for {
		m, err := rpc.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = e.printEvents(m)
		}
		if err != nil {
			return err
		}
	}
}

// printEvents prints each event of a batch on a line of its own.
func (e *execution) printEvents(m *pb.ParseTestFailuresResponse) error {
	for _, print := range []func() error{
		func() error { return printMessages(e, "test", m.GetTests()) },
		func() error { return printMessages(e, "failure", m.GetFailures()) },
		func() error { return printMessages(e, "suite", m.GetSuites()) },
		func() error { return printMessages(e, "unread", m.GetUnread()) },
		func() error { return e.printTexts("note", m.GetNotes()) },
		func() error { return e.printTexts("run_error", m.GetRunErrors()) },
		func() error { return e.printConditions(m.GetConditions()) },
	} {
		if err := print(); err != nil {
			return err
		}
	}
	return nil
}

func printMessages[M proto.Message](e *execution, name string, messages []M) error {
	for _, m := range messages {
		if err := e.print(name, m); err != nil {
			return err
		}
	}
	return nil
}

func (e *execution) printTexts(name string, texts []string) error {
	for _, text := range texts {
		if err := e.app.printJSON(map[string]string{name: text}); err != nil {
			return err
		}
	}
	return nil
}

func (e *execution) printConditions(conditions map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(conditions)) {
		if err := e.app.printJSON(map[string]any{"condition": map[string]string{"name": name, "value": conditions[name]}}); err != nil {
			return err
		}
	}
	return nil
}
