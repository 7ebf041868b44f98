package install

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/proctorhq/proctor/host/plugin/store"
	"github.com/proctorhq/proctor/internal/needs"
)

// diskSize is the size in bytes of a file system too small for the plugin. One for the lock
// file has a single page.
const diskSize = 256 << 10

// noMount begins the output of a process that may not mount anything.
const noMount = "no mount: "

// runOnFullDisk installs onto a file system that is too small, then onto one that is
// not. It runs in its own mount namespace.
func (c child) runOnFullDisk(ctx context.Context) error {
	dir, size := c.Store, diskSize
	if c.Full == "lock" {
		dir, size = filepath.Dir(c.Lock), os.Getpagesize()
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d,mode=700", size)); err != nil {
		return errors.New(noMount + err.Error())
	}
	if c.Full == "lock" {
		if err := os.WriteFile(filepath.Join(dir, "filler"), make([]byte, size), 0o600); err != nil {
			return err
		}
	}
	err := c.work(ctx)
	if !errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("an install onto a full disk: %v", err)
	}
	if text := err.Error(); c.Full == "store" && !strings.Contains(text, "tap 1.0.0") || c.Full == "lock" && !strings.Contains(text, c.Lock) {
		return fmt.Errorf("the error does not say what failed: %v", err)
	}
	installed, rejected, err := store.Open(c.Store).List(ctx)
	if err != nil || len(rejected) > 0 || c.Full == "store" && len(installed) > 0 {
		return fmt.Errorf("the store is not intact: %v, %v, %v", installed, rejected, err)
	}
	if _, err := os.Lstat(c.Lock); err == nil {
		return errors.New("something was locked")
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, fmt.Sprintf("size=%d", 64*diskSize)); err != nil {
		return err
	}
	if err := c.work(ctx); err != nil {
		return fmt.Errorf("with room: %w", err)
	}
	a, err := New(Config{Store: c.Store, Keys: c.Keys, Protocols: []int{1}}).Verify(ctx, c.Lock)
	if err != nil || !a.OK() || len(a.Plugins) != 1 {
		return fmt.Errorf("with room: %+v, %w", a, err)
	}
	return nil
}

func TestAFullDiskLeavesAnIntactStore(t *testing.T) {
	for _, full := range []string{"store", "lock"} {
		t.Run(full, func(t *testing.T) {
			pub, u := newPublisher(t), newUser(t)
			var big bytes.Buffer
			big.Write(u.program("big"))
			random := make([]byte, diskSize)
			if _, err := rand.Read(random); err != nil {
				t.Fatal(err)
			}
			big.Write(random)
			pub.add("tap", "1.0.0", big.Bytes())
			cmd := u.child(child{Spec: pub.address(), Full: full})
			cmd.SysProcAttr = &syscall.SysProcAttr{
				Cloneflags:  syscall.CLONE_NEWNS | syscall.CLONE_NEWUSER,
				UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
				GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
			}
			said, err := cmd.CombinedOutput()
			if cmd.ProcessState == nil || bytes.HasPrefix(said, []byte(noMount)) {
				needs.Missing(t, fmt.Sprintf("no file system can be mounted here: %v %s", err, said))
			}
			if err != nil {
				t.Errorf("%v: %s", err, said)
			}
		})
	}
}
