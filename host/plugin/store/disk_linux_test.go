package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/proctorhq/proctor/internal/needs"
)

// diskSize is the size of the file systems that these tests fill.
const diskSize = 256 << 10

// linuxRoles are played in a mount namespace of their own, by [inOwnMounts].
func linuxRoles() map[string]func(context.Context, string) error {
	return map[string]func(context.Context, string) error{"full disk": onFullDisk, "read-only": onReadOnlyDisk}
}

func TestOnAFullDiskTheStoreStaysWhole(t *testing.T) { inOwnMounts(t, "full disk") }

func TestAReadOnlyStoreIsReadAndNothingElse(t *testing.T) { inOwnMounts(t, "read-only") }

// inOwnMounts runs the test binary where it may mount unseen by others.
func inOwnMounts(t *testing.T, do string) {
	t.Helper()
	cmd := role{Do: do, Dir: t.TempDir()}.command(t)
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWNS | syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	if err != nil || strings.HasPrefix(string(out), noMount) {
		needs.Missing(t, fmt.Sprintf("a file system of its own cannot be made here: %v %s", err, out))
	}
	if string(out) != "done" {
		t.Errorf("%s", out)
	}
}

// noMount begins the output of a process that may not mount anything.
const noMount = "no mount: "

func mount(dir string, flags uintptr) error {
	if err := syscall.Mount("tmpfs", dir, "tmpfs", flags, fmt.Sprintf("size=%d,mode=700", diskSize)); err != nil {
		return errors.New(noMount + err.Error())
	}
	return nil
}

// onFullDisk fills the disk before each step of an install.
func onFullDisk(ctx context.Context, dir string) error {
	if err := mount(dir, 0); err != nil {
		return err
	}
	s := Open(filepath.Join(dir, "plugins"))
	if _, err := install(ctx, s, "1.0.0", "old", receipt()); err != nil {
		return err
	}
	failures := 0
	for step := range installSteps() {
		filler := filepath.Join(dir, "filler")
		s.step = func(at string) {
			if at == step {
				_ = os.WriteFile(filler, make([]byte, 2*diskSize), 0o600)
			}
		}
		_, err := install(ctx, s, version, "program", receipt())
		s.step = func(string) {}
		if err != nil && !errors.Is(err, syscall.ENOSPC) {
			return fmt.Errorf("%s: %w", step, err)
		}
		if err != nil {
			failures++
		}
		found, rejected, listErr := s.List(ctx)
		if want := 1; err == nil {
			want = 2
			if len(found) != want {
				return fmt.Errorf("%s: %d plugins, want %d", step, len(found), want)
			}
		}
		if len(rejected) > 0 || listErr != nil || err != nil && len(found) != 1 {
			return fmt.Errorf("%s: %v, %v, %v", step, found, rejected, listErr)
		}
		// A full disk can be made less full.
		if err == nil {
			if err := remove(ctx, s, version); err != nil {
				return fmt.Errorf("%s: %w", step, err)
			}
		}
		if err := os.Remove(filler); err != nil {
			return err
		}
		if left, err := os.ReadDir(filepath.Join(s.dir, stagingDir)); len(left) > 0 || err != nil {
			return fmt.Errorf("%s: left behind: %v, %v", step, left, err)
		}
	}
	if failures < 3 {
		return fmt.Errorf("only %d installs failed: the disk was not full", failures)
	}
	_, err := install(ctx, s, version, "program", receipt())
	return err
}

func onReadOnlyDisk(ctx context.Context, dir string) error {
	if err := mount(dir, 0); err != nil {
		return err
	}
	s := Open(filepath.Join(dir, "plugins"))
	if _, err := install(ctx, s, version, "program", receipt()); err != nil {
		return err
	}
	if err := mount(dir, syscall.MS_REMOUNT|syscall.MS_RDONLY); err != nil {
		return err
	}
	if _, err := s.Lookup(name, version); err != nil {
		return err
	}
	if found, rejected, err := s.List(ctx); len(found) != 1 || len(rejected) > 0 || err != nil {
		return fmt.Errorf("%v, %v, %w", found, rejected, err)
	}
	_, lockErr := s.Lock(ctx, name, "2.0.0", nil)
	_, stageErr := s.Stage(ctx)
	for _, err := range []error{lockErr, stageErr, s.Remove(ctx, name, version)} {
		if !errors.Is(err, syscall.EROFS) {
			return fmt.Errorf("on a read-only file system: %w", err)
		}
	}
	if _, err := s.Lookup(name, version); err != nil {
		return err
	}
	return nil
}
