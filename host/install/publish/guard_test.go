package publish

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/gofrs/flock"

	"github.com/proctorhq/proctor/host/install/index"
)

// packers is how many processes pack into one tree at once; each packs rounds times.
const (
	packers = 4
	rounds  = 5
)

// packerVariable makes this test process the packer with that number, and treeVariable
// names its tree.
const (
	packerVariable = "PROCTOR_TEST_PACKER"
	treeVariable   = "PROCTOR_TEST_TREE"
)

// TestPacker is one of the processes.
func TestPacker(t *testing.T) {
	number := os.Getenv(packerVariable)
	if number == "" {
		t.Skip("only runs as a process of another test")
	}
	for round := range rounds {
		cfg := config(t)
		cfg.Out = os.Getenv(treeVariable)
		cfg.Manifest.Version = fmt.Sprintf("1.%s.%d", number, round)
		pack(t, cfg)
	}
}

func TestNothingIsLostWhenSeveralProcessesPack(t *testing.T) {
	out := config(t).Out
	var group sync.WaitGroup
	for number := range packers {
		group.Go(func() {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestPacker$")
			cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", packerVariable, number), treeVariable+"="+out)
			if text, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, text)
			}
		})
	}
	group.Wait()
	x, err := index.Parse([]byte(contents(t, out)[index.File]))
	if err != nil || len(x.Plugins["tap"].Versions) != packers*rounds {
		t.Errorf("%d versions, want %d; %v", len(x.Plugins["tap"].Versions), packers*rounds, err)
	}
}

func TestWaitingForATreeEndsWithItsContext(t *testing.T) {
	cfg := config(t)
	release, err := lockTree(t.Context(), cfg.Out)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Pack(ctx, cfg)
	if !errors.Is(err, context.Canceled) || !strings.HasPrefix(err.Error(), cfg.Out+": another proctor") {
		t.Errorf("%v", err)
	}
	if left := contents(t, cfg.Out); len(left) > 0 {
		t.Errorf("%d files", len(left))
	}
}

// Where directories cannot be locked, a file elsewhere is locked instead.
func TestALockFileElsewhereKeepsOthersOut(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("TMP", os.Getenv("TMPDIR"))
	held, err := tryLock(t.Context(), flock.New(lockFileFor(dir), flock.SetFlag(os.O_CREATE|os.O_RDWR|noFollow)))
	if err != nil {
		t.Fatal(err)
	}
	defer held.Unlock()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tryLock(ctx, flock.New(lockFileFor(dir))); err == nil {
		t.Error("the tree was locked twice")
	}
	if lockFileFor(dir) == lockFileFor(dir+"x") {
		t.Error("two trees share a lock file")
	}
}
