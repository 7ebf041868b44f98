//go:build unix

package runner

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// roleEnv makes the test binary play one of the roles below.
const roleEnv = "RUNNER_TEST_ROLE"

// quickExit avoids the second by which the race detector delays an exit.
const quickExit = "GORACE=atexit_sleep_ms=0"

// turns is how often the role of that name makes both streams speak.
const turns = 4

// patience bounds what should happen at once, even on a busy machine.
const patience = time.Minute

// leftCode is the exit code of a process that nobody ended.
const leftCode = 98

func TestMain(m *testing.M) {
	if role := os.Getenv(roleEnv); role != "" {
		// A process left by a failing test must not stay forever.
		time.AfterFunc(3*patience, func() { os.Exit(leftCode) })
		play(role)
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

func play(role string) {
	name, arg, _ := strings.Cut(role, " ")
	number, _ := strconv.Atoi(arg)
	switch name {
	case "exit":
		fmt.Println("to stdout")
		fmt.Fprintln(os.Stderr, "to stderr")
		os.Exit(number)
	case "die":
		_ = syscall.Kill(os.Getpid(), syscall.Signal(number))
		select {}
	case "text":
		fmt.Print(arg)
	case "stdin":
		input, err := io.ReadAll(os.Stdin)
		fmt.Printf("%q %v", input, err)
	case "deaf":
		signal.Ignore(syscall.SIGQUIT, syscall.SIGINT)
		fmt.Println("deaf", os.Getpid())
		select {}
	case "polite": // ends when asked
		signals := listen()
		fmt.Println("asked by", <-signals)
		os.Exit(7)
	case "stubborn": // does not
		for sig := range listen() {
			fmt.Println("asked by", sig)
		}
	case "flood": // MB in large writes
		block := bytes.Repeat([]byte(strings.Repeat("x", 63)+"\n"), 1024)
		for range number * 1_000_000 / len(block) {
			_, _ = os.Stdout.Write(block)
		}
	case "lines": // MB, each line in its own write
		line := []byte(strings.Repeat("x", 170) + "\n")
		for range number * 1_000_000 / len(line) {
			_, _ = os.Stdout.Write(line)
		}
	case "both": // numbered lines to both streams
		for i := range number {
			fmt.Fprintln(os.Stdout, "out", i)
			fmt.Fprintln(os.Stderr, "err", i)
		}
	case "turns": // each stream after the other was received: a file in arg says so
		for i := range turns {
			for name, stream := range map[string]*os.File{"o": os.Stdout, "e": os.Stderr} {
				word := fmt.Sprint(name, i)
				fmt.Fprint(stream, word)
				for limit := time.Now().Add(patience); time.Now().Before(limit); time.Sleep(time.Millisecond) {
					if _, err := os.Stat(filepath.Join(arg, word)); err == nil {
						break
					}
				}
			}
		}
	case "chatter":
		block := bytes.Repeat([]byte("never ends\n"), 1000)
		for {
			_, _ = os.Stdout.Write(block)
		}
	case "late": // writes something a moment after its parent ended
		fmt.Println("late")
		for os.Getppid() == number {
			time.Sleep(time.Millisecond)
		}
		fmt.Println("last words")
	case "leave": // leaves a child behind that holds its stdout
		haveChild(arg, false)
	case "escape": // its child also leaves the group
		haveChild(arg, true)
	case "pair": // has a child of its own kind
		haveChild(arg, false)
		play(arg)
	default:
		fmt.Fprintln(os.Stderr, "no such role:", role)
		os.Exit(99)
	}
}

// listen says ready once it receives signals.
func listen() <-chan os.Signal {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGQUIT, syscall.SIGINT)
	fmt.Println("ready")
	return signals
}

// haveChild starts a process with the same stdout. PARENT in its role means us.
func haveChild(role string, escape bool) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = []string{roleEnv + "=" + strings.ReplaceAll(role, "PARENT", fmt.Sprint(os.Getpid())), quickExit}
	cmd.Stdout = os.Stdout
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: escape}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
}
