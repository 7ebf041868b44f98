package fingerprint_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/fingerprint"
)

// Under constant edits there is no error, and nothing is missed in the end.
func TestFilesMayComeAndGoWhileAStateIsTaken(t *testing.T) {
	r := newRepo(t)
	for i := range 40 {
		r.write(fmt.Sprintf("d%d/f%d", i%4, i), "x")
	}
	r.write(".gitignore", "*.o\n")
	r.commit()
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			dir := filepath.Join(r.dir, fmt.Sprintf("d%d", i%4))
			switch i % 5 {
			case 0:
				os.RemoveAll(dir)
			case 1:
				os.Symlink("d0", dir)
			case 2:
				os.Remove(dir)
				os.MkdirAll(filepath.Join(dir, "deep"), 0o777)
			default:
				os.WriteFile(filepath.Join(dir, "new"), fmt.Appendf(nil, "%d", i), 0o666)
				os.WriteFile(filepath.Join(dir, "deep", "new.o"), nil, 0o666)
			}
			time.Sleep(time.Millisecond)
		}
	})
	s := r.take()
	for range 20 {
		_, s = r.changed(s)
	}
	stop()
	wg.Wait()
	time.Sleep(50 * time.Millisecond)
	_, s = r.changed(s)
	if fresh := r.take(); s.State.ID != fresh.State.ID {
		t.Errorf("got  %s\nwant %s", paths(s.State), paths(fresh.State))
	}
}

func TestACancelledTakeIsAnError(t *testing.T) {
	r := newRepo(t)
	r.write("a", "a")
	s := r.take()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := fingerprint.Take(ctx, r.cfg)
	r.write("b", "b")
	_, _, err2 := s.Changed(ctx)
	_, err3 := fingerprint.OfCommit(ctx, r.cfg, "HEAD")
	for _, err := range []error{err, err2, err3} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	}
}
