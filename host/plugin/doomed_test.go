//go:build unix

package plugin

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/proctorhq/proctor/sdk"
)

// hostVariable makes the test binary a host that starts a plugin and waits for the end
// of its standard input or to be killed; its value is mode, path, home and run
// directory, one a line.
const hostVariable = "PROCTOR_TEST_DOOMED_HOST"

func doomedHost() {
	args := strings.Split(os.Getenv(hostVariable), "\n")
	p, err := Start(context.Background(), Config{
		Candidate: Candidate{Name: args[0], Path: args[1]},
		Environ:   []string{"HOME=" + args[2]},
		RunDir:    args[3],
	})
	if err == nil {
		_, err = p.TestCmd(context.Background(), sdk.TestRequest{})
	}
	fmt.Println("started:", err)
	_, _ = io.Copy(io.Discard, os.Stdin)
	fmt.Println("closed:", p.Close(context.Background()))
}

func TestKillingTheHostEndsThePluginAndItsDirectoryIsSwept(t *testing.T) {
	for _, mode := range []string{"good", "no-lifeline", "grandchild", "flood-stderr"} {
		t.Run(mode, func(t *testing.T) {
			f := newFixture(t, mode)
			host := exec.Command(os.Args[0])
			host.Env = []string{hostVariable + "=" + strings.Join([]string{mode, f.config.Candidate.Path, f.home, f.config.RunDir}, "\n")}
			out, err := host.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := host.StdinPipe(); err != nil {
				t.Fatal(err)
			}
			if err := host.Start(); err != nil {
				t.Fatal(err)
			}
			line, err := bufio.NewReader(out).ReadString('\n')
			if err != nil || line != "started: <nil>\n" {
				t.Fatalf("the host says %q %v", line, err)
			}
			if err := host.Process.Signal(syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			_ = host.Wait()
			f.assertNoSurvivors(t)
			if len(f.pids()) == 0 {
				t.Error("there was no plugin")
			}
			left := runDirs(t, f.config.RunDir)
			if len(left) != 1 {
				t.Fatalf("the killed host left %v", left)
			}
			age(t, left[0])
			sweep(t.Context(), f.config.RunDir)
		})
	}
}
