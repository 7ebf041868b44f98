//go:build unix

package recorded

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// caseLimit ends a case that hangs: the slowest waits for a time-out of 10 seconds.
const caseLimit = 3 * time.Minute

// Main is the main function of a command that records cases. start returns the function that
// records one.
func Main[M, W any](start func(context.Context) (func(context.Context, Case[M, W]) error, error)) {
	dir := flag.String("cases", filepath.Join("testdata", "cases"), "directory of the cases")
	jobs := flag.Int("j", 1, "cases to record at the same time")
	onlyNew := flag.Bool("new", false, "record only cases that have no recording")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	record, err := start(ctx)
	if err == nil {
		err = recordAll(ctx, *dir, flag.Arg(0), *jobs, *onlyNew, record)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

// recordAll records the cases whose names match a pattern. One that fails does not stop the
// others.
func recordAll[M, W any](ctx context.Context, dir, pattern string, jobs int, onlyNew bool, record func(context.Context, Case[M, W]) error) error {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return err
	}
	cases, err := Load[M, W](dir)
	if err != nil {
		return err
	}
	slots := make(chan struct{}, max(1, jobs))
	var wait sync.WaitGroup
	var mu sync.Mutex
	failed := 0
	for _, c := range cases {
		if !re.MatchString(c.Name) || onlyNew && c.isRecorded() {
			continue
		}
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			ctx, cancel := context.WithTimeout(ctx, caseLimit)
			defer cancel()
			err := record(ctx, c)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failed++
				fmt.Printf("%-40s %v\n", c.Name, err)
				return
			}
			fmt.Printf("%-40s recorded\n", c.Name)
		})
	}
	wait.Wait()
	if failed > 0 {
		return fmt.Errorf("%d cases could not be recorded", failed)
	}
	return nil
}

func (c Case[M, W]) isRecorded() bool {
	_, err := c.Stream("stdout")
	return err == nil
}

// NewRoot makes a directory whose path is as long as [RootPlaceholder]: test2json cuts lines
// by their length, and forge lays out tables by it.
func NewRoot() (string, error) {
	const letters = "abcdefghijklmnopqrstuvwxyz"
	for range 100 {
		name := []byte("/tmp/pc-.....")[:len(RootPlaceholder)]
		for i := len("/tmp/pc-"); i < len(name); i++ {
			name[i] = letters[rand.IntN(len(letters))]
		}
		if err := os.Mkdir(string(name), 0o755); err == nil {
			return filepath.EvalSymlinks(string(name))
		}
	}
	return "", errors.New("no directory below /tmp could be made")
}

// Start starts a command in a process group of its own, which ends with ctx.
func Start(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 10 * time.Second
	return cmd.Start()
}

// Wait waits for a command, and returns how it ended.
func Wait(ctx context.Context, cmd *exec.Cmd) (code int, signal string, err error) {
	err = cmd.Wait()
	if ctx.Err() != nil {
		return 0, "", fmt.Errorf("stopped: %w", ctx.Err())
	}
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		return 0, "", err
	}
	if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		signal = unix.SignalName(ws.Signal())
	}
	return cmd.ProcessState.ExitCode(), signal, nil
}
