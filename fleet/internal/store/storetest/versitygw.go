package storetest

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// The keys of the server, and its bucket.
const (
	AccessKey = "user"
	SecretKey = "password"
	Bucket    = "tests"
)

// StartVersitygw starts an S3 server over a directory. With CI set it must be installed.
func StartVersitygw(t testing.TB) (address string) {
	t.Helper()
	_, here, _, _ := runtime.Caller(0)
	program := filepath.Join(filepath.Dir(here), "../../../../.cache/tools/versitygw")
	_, err := os.Stat(program)
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
	if err := os.Mkdir(filepath.Join(dir, Bucket), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "--port", address, "posix", dir)
	cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+AccessKey, "ROOT_SECRET_KEY="+SecretKey)
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
