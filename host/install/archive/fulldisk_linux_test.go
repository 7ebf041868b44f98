package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/proctorhq/proctor/internal/needs"
)

// fullDiskEnv makes the test binary unpack the named archive onto a file system of
// fullDiskSize bytes.
const (
	fullDiskEnv  = "PROCTOR_TEST_FULL_DISK"
	fullDiskSize = 256 << 10
)

func TestMain(m *testing.M) {
	if path := os.Getenv(fullDiskEnv); path != "" {
		fmt.Print(unpackOntoFullDisk(path))
		return
	}
	os.Exit(m.Run())
}

// unpackOntoFullDisk runs in its own mount namespace. It returns what was wrong, or "".
func unpackOntoFullDisk(path string) string {
	dir := filepath.Join(filepath.Dir(path), "target")
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", fullDiskSize)); err != nil {
		return noMount + err.Error()
	}
	var refused *RefusedError
	if err := Unpack(context.Background(), path, dir); !errors.Is(err, syscall.ENOSPC) || errors.As(err, &refused) {
		return fmt.Sprintf("unpacking onto a full disk: %v", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) > 0 {
		return fmt.Sprintf("left behind: %v, %v", entries, err)
	}
	return ""
}

// noMount begins the output of a process that may not mount anything.
const noMount = "no mount: "

func TestAFullDiskIsNotARejectionAndLeavesNothing(t *testing.T) {
	big := bytes.Repeat([]byte("x"), 2*fullDiskSize)
	path, _ := place(t, pack(t, TarGz, map[string][]byte{"LICENSE": []byte("MIT"), program: big}))
	said, err := inOwnMounts(t, fullDiskEnv+"="+path)
	if err != nil || bytes.HasPrefix(said, []byte(noMount)) {
		needs.Missing(t, fmt.Sprintf("no file system can be mounted here: %v %s", err, said))
	}
	if len(said) > 0 {
		t.Errorf("%s", said)
	}
}

// inOwnMounts runs the test binary where it may mount unseen by others.
func inOwnMounts(t *testing.T, env string) ([]byte, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), env)
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWNS | syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	return cmd.CombinedOutput()
}
