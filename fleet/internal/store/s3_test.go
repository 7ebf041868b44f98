package store

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// versitygw starts an S3 server over a directory. With CI set it must be installed.
func versitygw(t *testing.T) (address string) {
	t.Helper()
	program, err := filepath.Abs("../../../.cache/tools/versitygw")
	if err == nil {
		_, err = os.Stat(program)
	}
	if err != nil {
		if program, err = exec.LookPath("versitygw"); err != nil && os.Getenv("CI") != "" {
			t.Fatal("versitygw is not installed: make test-fleet installs it")
		} else if err != nil {
			t.Skip("NOT TESTED: versitygw is not installed: make test-fleet installs it")
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address = l.Addr().String()
	l.Close()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "tests"), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "--port", address, "posix", dir)
	cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY=user", "ROOT_SECRET_KEY=password")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		c, err := net.Dial("tcp", address)
		if err == nil {
			c.Close()
			return address
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

func TestABucketIsAStore(t *testing.T) {
	address := versitygw(t)
	t.Setenv("AWS_ACCESS_KEY_ID", "user")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "password")
	if _, err := Open(t.Context(), fmt.Sprintf("s3+http://%s/nosuch", address), os.Getenv); err == nil {
		t.Error("a bucket that does not exist was opened")
	}
	s, err := Open(t.Context(), fmt.Sprintf("s3+http://%s/tests/of/a/team", address), os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	testStore(t, s)
}
