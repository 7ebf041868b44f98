package sandbox_test

import (
	"bytes"
	"context"

	"github.com/proctorhq/proctor/host/runner"
	"github.com/proctorhq/proctor/sdk"
)

// cancelOn cancels once a word was printed.
func cancelOn(word string, cancel context.CancelFunc) runner.Sink {
	return func(_ context.Context, _ sdk.Stream, data []byte) error {
		if bytes.Contains(data, []byte(word)) {
			cancel()
		}
		return nil
	}
}
