//go:build unix

package procgroup

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// roleEnv makes the test binary play one of the roles below.
const roleEnv = "PROCGROUP_TEST_ROLE"

// quickExit avoids the second by which the race detector delays an exit.
const quickExit = "GORACE=atexit_sleep_ms=0"

// deaf are the signals that a watcher must survive, besides those that nobody can
// ignore.
var deaf = []os.Signal{
	syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGABRT, syscall.SIGTERM, syscall.SIGUSR1,
	syscall.SIGUSR2, syscall.SIGALRM, syscall.SIGVTALRM, syscall.SIGPROF, syscall.SIGPIPE, syscall.SIGXCPU,
	syscall.SIGXFSZ, syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU,
}

func TestMain(m *testing.M) {
	if role := os.Getenv(roleEnv); role != "" {
		// A process left by a failing test must not stay forever.
		time.AfterFunc(3*patience, func() { os.Exit(98) })
		play(role)
	}
	goleak.VerifyTestMain(m)
}

func play(role string) {
	name, arg, _ := strings.Cut(role, " ")
	switch name {
	case "exit":
		code, _ := strconv.Atoi(arg)
		os.Exit(code)
	case "describe": // prints what it was started with
		dir, _ := os.Getwd()
		input, err := io.ReadAll(os.Stdin)
		fmt.Printf("args %q\ndir %s\nenv %q\nstdin %q %v\n", os.Args, dir, os.Environ(), input, err)
		os.Exit(0)
	case "die":
		number, _ := strconv.Atoi(arg)
		_ = syscall.Kill(os.Getpid(), syscall.Signal(number))
		select {}
	case "leave": // leaves its group
		if _, err := syscall.Setsid(); err != nil {
			panic(err)
		}
		fmt.Println("left")
		stay()
	case "parent": // has a child and stays
		haveChild()
		fmt.Println("parent", os.Getpid())
		stay()
	case "deserter": // starts a child and exits
		haveChild()
		os.Exit(0)
	case "child":
		fmt.Println("child", os.Getpid())
		stay()
	case "host":
		host()
	}
	fmt.Fprintln(os.Stderr, "no such role:", role)
	os.Exit(99)
}

// stay lives until it is killed and reports the signals it receives.
func stay() {
	signals := make(chan os.Signal, len(deaf))
	signal.Notify(signals, deaf...)
	fmt.Println("staying", os.Getpid())
	for sig := range signals {
		fmt.Println(os.Getpid(), "got", sig)
	}
}

func haveChild() {
	cmd := exec.Command(os.Args[0])
	cmd.Env = []string{roleEnv + "=child", quickExit}
	cmd.Stdout = os.Stdout
	if err := cmd.Start(); err != nil {
		panic(err)
	}
}

// host starts a parent that shares its stdout, and obeys its stdin.
func host() {
	p, err := Start(context.Background(), Config{Path: os.Args[0], Env: []string{roleEnv + "=parent", quickExit}, Stdout: os.Stdout})
	if err != nil {
		panic(err)
	}
	orders := bufio.NewScanner(os.Stdin)
	for orders.Scan() {
		verb, arg, _ := strings.Cut(orders.Text(), " ")
		switch verb {
		case "exit":
			os.Exit(0)
		case "panic":
			panic("as ordered")
		case "signal":
			number, _ := strconv.Atoi(arg)
			if err := p.Signal(syscall.Signal(number)); err != nil {
				panic(err)
			}
			fmt.Println("sent", number)
		}
	}
	select {}
}
