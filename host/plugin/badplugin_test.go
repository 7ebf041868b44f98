//go:build unix

package plugin

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/plugin/manifest"
	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/server"
)

// The test binary is also every plugin of the tests: run as proctor-plugin-MODE, it
// misbehaves in that mode. Like any plugin, it gets no arguments and none of the test's
// variables.

func TestMain(m *testing.M) {
	if mode, ok := nameOfBinary(filepath.Base(os.Args[0])); ok {
		badPlugin(mode)
		return
	}
	if os.Getenv(hostVariable) != "" {
		doomedHost()
		return
	}
	os.Exit(m.Run())
}

// badPlugin is the main function of a misbehaving plugin.
func badPlugin(mode string) {
	note("pids", os.Getpid())
	if before, ok := beforeHandshake[mode]; ok {
		before()
		return
	}
	if parse, ok := rawMeasurers[mode]; ok {
		serveRaw(mode, rawServer{measure: parse})
		return
	}
	if raw, ok := rawServers[mode]; ok {
		serveRaw(mode, raw())
		return
	}
	description := sdk.Description{Name: mode, Version: "1.2.3", Language: "bad", Markers: []string{"bad.mod"}}
	if mode == "wrong-name" {
		description.Name = "somebody-else"
	}
	if mode == "changes-its-mind" && !once() {
		description.Language = "worse"
	}
	var detector sdk.Detector = badDetector{mode}
	if mode == "lister" {
		detector = badLister{badDetector{mode}}
	}
	if measuring(mode) {
		detector = badMeasurer{badLister{badDetector{mode}}}
		description.Cover = true
	}
	server.Serve(server.Config{Description: description, Detector: detector})
}

// note appends a number to a file in the home directory, the one place shared by test
// and plugin.
func note(file string, n int) {
	f, err := os.OpenFile(filepath.Join(os.Getenv("HOME"), file), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	_, _ = fmt.Fprintln(f, n)
	_ = f.Close()
}

// beforeHandshake are the modes of plugins that never get to serve.
var beforeHandshake = map[string]func(){
	"hang-start":  hang,
	"exit-start":  func() { fmt.Fprintln(os.Stderr, "no configuration found"); os.Exit(7) },
	"panic-start": func() { panic("no luck today") },
	"init-print":  func() { fmt.Println("hello from init"); os.Exit(3) },
	"long-line":   func() { fmt.Print(strings.Repeat("x", 1<<20)); hang() },
	"forged-tcp":  func() { listenAndGreet("tcp", "127.0.0.1:0", 1) },
	"forged-socket": func() {
		listenAndGreet("unix", filepath.Join(os.Getenv("HOME"), "s"), 1)
	},
	"forged-version":  func() { listenAndGreet("unix", filepath.Join(socketDir(), "s"), 99) },
	"forged-nothing":  func() { fmt.Printf("1|1|unix|%s|grpc|\n", filepath.Join(socketDir(), "nobody")); hang() },
	"forged-silence":  func() { listenAndGreet("unix", filepath.Join(socketDir(), "s"), 1) },
	"forged-netrpc":   func() { fmt.Printf("1|1|unix|%s|netrpc|\n", filepath.Join(socketDir(), "s")); hang() },
	"closes-stdout":   func() { _ = os.Stdout.Close(); hang() },
	"flood-greeting":  func() { flood(1, "not a handshake\n") },
	"stop-start":      func() { _ = syscall.Kill(os.Getpid(), syscall.SIGSTOP); hang() },
	"grandchild-exit": func() { startHolder(false); fmt.Println("gone"); os.Exit(0) },
	"holder":          hang,
	// escaped ends with its standard input, for the test's sake.
	"escaped": func() { _, _ = io.Copy(io.Discard, os.Stdin) },
}

// hang never returns. Without cgo, Go ends a program that only waits in a select.
func hang() {
	for {
		time.Sleep(time.Hour)
	}
}

func socketDir() string { return os.Getenv(strings.TrimSuffix(socketDirVariable, "=")) }

// listenAndGreet accepts connections and says nothing.
func listenAndGreet(network, address string, version int) {
	l, err := net.Listen(network, address)
	if err != nil {
		panic(err)
	}
	fmt.Printf("1|%d|%s|%s|grpc|\n", version, network, l.Addr())
	for {
		if _, err := l.Accept(); err != nil {
			return
		}
	}
}

func flood(fd int, line string) {
	data := []byte(strings.Repeat(line, 1000))
	for {
		if _, err := syscall.Write(fd, data); err != nil {
			return
		}
	}
}

// startHolder leaves a child behind that holds our streams open; one that escapes has
// its own session, out of reach of signals to our group.
func startHolder(escape bool) {
	mode := "holder"
	if escape {
		mode = "escaped"
	}
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	_, err = os.StartProcess(self, []string{manifest.BinaryPrefix + mode}, &os.ProcAttr{
		Sys:   &syscall.SysProcAttr{Setsid: escape},
		Env:   []string{"HOME=" + os.Getenv("HOME")},
		Files: []*os.File{os.NewFile(0, ""), os.NewFile(1, ""), os.NewFile(2, "")},
	})
	if err != nil {
		panic(err)
	}
}
