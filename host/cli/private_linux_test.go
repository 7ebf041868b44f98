package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/proctorhq/proctor/internal/testbin"
)

// A test can find the server among those that started it. What it wrote to the
// server's output would be an answer, and the first environment may have a token.
func TestOtherProcessesOfTheUserCannotAnswerForTheServer(t *testing.T) {
	t.Parallel()
	newModule(t, nil) // builds the binaries
	dir := t.TempDir()
	alone := filepath.Join(dir, "proctor")
	copyFile(t, testbin.Path("proctor"), alone)
	const nobody = 65534
	attributes := &syscall.SysProcAttr{}
	if os.Getuid() == 0 { // nothing is closed to root
		attributes.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
		for _, path := range []string{alone, dir, filepath.Dir(dir)} {
			if err := os.Chmod(path, 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	start := func(name string, args ...string) (*exec.Cmd, io.WriteCloser, *bufio.Reader) {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.SysProcAttr, cmd.Env = dir, attributes, []string{"HOME=" + dir, "PATH=/usr/bin:/bin"}
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, its, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer its.Close()
		cmd.Stdout = its
		if attributes.Credential != nil {
			if err := its.Chown(nobody, nobody); err != nil {
				t.Fatal(err)
			}
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			in.Close()
			cmd.Process.Kill()
			cmd.Wait()
			out.Close()
		})
		return cmd, in, bufio.NewReader(out)
	}
	try := func(script string) error {
		cmd := exec.Command("/bin/sh", "-c", script)
		cmd.Dir, cmd.SysProcAttr = dir, attributes
		return cmd.Run()
	}
	server, in, out := start(alone, "mcp")
	other, _, _ := start("cat")
	io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n")
	if line, err := out.ReadString('\n'); err != nil || !strings.Contains(line, `"id":1`) {
		t.Fatalf("%v: %s", err, line)
	}
	for _, script := range []string{"echo forged > /proc/%d/fd/1", "cat /proc/%d/environ > /dev/null", ": < /proc/%d/mem", "ls /proc/%d/fd/ > /dev/null"} {
		if err := try(fmt.Sprintf(script, other.Process.Pid)); err != nil {
			t.Fatalf("this tells nothing here: %s: %v", script, err)
		}
		if err := try(fmt.Sprintf(script, server.Process.Pid)); err == nil {
			t.Errorf("another process of the user can do: %s", script)
		}
	}
}
