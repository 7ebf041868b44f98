package sqlite

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/internal/testbin"
	"github.com/proctorhq/proctor/sdk"
)

// The test binary also is the processes that the tests start: roleVariable says so, and where
// the database is; nameVariable and countVariable say which run it writes and with how many
// results, endlessly many if 0. Without a name it removes runs instead, all but that many.
const (
	roleVariable  = "PROCTOR_TEST_HISTORY"
	nameVariable  = "PROCTOR_TEST_NAME"
	countVariable = "PROCTOR_TEST_COUNT"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(roleVariable); path != "" {
		count, _ := strconv.Atoi(os.Getenv(countVariable))
		play := func() error { return writeRun(path, os.Getenv(nameVariable), count) }
		if os.Getenv(nameVariable) == "" {
			play = func() error { return removeRuns(path, count) }
		}
		if err := play(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	testbin.InMemory()
	goleak.VerifyTestMain(m)
}

// process returns a command that writes a run, or removes some.
func process(ctx context.Context, path, name string, count int) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), roleVariable+"="+path, nameVariable+"="+name, countVariable+"="+strconv.Itoa(count))
	return cmd
}

func writeRun(path, name string, count int) error {
	ctx := context.Background()
	store, err := Open(ctx, Config{Path: path, Root: "/w"})
	if err != nil {
		return err
	}
	defer store.Close()
	run := history.Run{ID: name, SessionID: "s" + name, Language: "l", StartedAt: time.Now()}
	recorder, err := store.Begin(ctx, run)
	if err != nil {
		return err
	}
	for i := 0; count == 0 || i < count; i++ {
		recorder.Add(numbered(i))
		if count == 0 && i%batchSize == 0 {
			time.Sleep(time.Millisecond) // so that batches end for both reasons
		}
	}
	run.State = api.StateFinished
	return recorder.Finish(ctx, run)
}

func removeRuns(path string, left int) error {
	ctx := context.Background()
	store, err := Open(ctx, Config{Path: path, Root: "/w"})
	if err != nil {
		return err
	}
	defer store.Close()
	gone, err := allBut(ctx, store, left)
	if err != nil {
		return err
	}
	return store.Remove(ctx, gone, nil)
}

// numbered returns result i of a run. Half of the tests are in every run.
func numbered(i int) history.Result {
	return history.Result{
		TestID: sdk.TestID{Suite: "s", Test: fmt.Sprintf("test%07d", i)}, Outcome: history.Failed,
		Signature: fmt.Sprint(i % 10), Measures: []history.Measure{{Name: "m", Value: int64(i)}},
	}
}
