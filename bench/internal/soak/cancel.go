package soak

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/proctorhq/proctor/bench/internal/edit"
)

// hanging is a test that never ends by itself. A file shows that it is running.
const (
	hanging = `package stock

import (
	"os"
	"path/filepath"
	"testing"
)

func TestHanging(t *testing.T) {
	if err := os.WriteFile(filepath.Join(os.TempDir(), "hanging"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	select {}
}
`
	hangingFile = "hanging"
)

// cancel starts a run that would never end, stops it, and removes its test.
func (d *day) cancel(ctx context.Context) error {
	f := fault{file: "stock/hanging_test.go", added: true}
	if err := edit.WriteFiles(d.dir, map[string]string{f.file: hanging}); err != nil {
		return err
	}
	d.report.Runs++
	r, err := d.call(ctx, d.main, "run_tests", map[string]any{"wait": 0.01, "packages": []string{"./stock"}})
	if err != nil {
		return err
	}
	if r.Status != "running" {
		return wrongAnswer("run_tests with a test that hangs", r, "status running")
	}
	if err := d.await(ctx, filepath.Join(d.temp, hangingFile)); err != nil {
		return err
	}
	if r, err = d.call(ctx, d.main, "cancel_run", map[string]any{"run_id": r.RunID}); err != nil {
		return err
	}
	if r, err = d.call(ctx, d.main, "get_run", map[string]any{"wait": mostWait.Seconds()}); err != nil {
		return err
	}
	if r.Status != "cancelled" {
		return wrongAnswer("get_run of a cancelled run", r, "status cancelled")
	}
	return d.restore(f)
}

// mostWait is more than a test needs to start.
const mostWait = time.Minute

// await waits until a test has written a file, and removes it.
func (d *day) await(ctx context.Context, path string) error {
	ctx, stop := context.WithTimeout(ctx, mostWait)
	defer stop()
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for os.Remove(path) != nil {
		select {
		case <-ctx.Done():
			return fmt.Errorf("a test did not start: %w", ctx.Err())
		case <-look.C:
		}
	}
	return nil
}
