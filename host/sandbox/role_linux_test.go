package sandbox_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// TestMain lets the test binary play hostile code in a box.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "role" {
		os.Exit(play(os.Args[2], os.Args[3:]))
	}
	goleak.VerifyTestMain(m)
}

// play does what a test in an upload could do, and prints the result.
func play(role string, args []string) int {
	switch role {
	case "read":
		for _, path := range args {
			data, err := os.ReadFile(path)
			fmt.Printf("%s: %q %v\n", path, data, errnoOf(err))
		}
	case "write":
		for _, path := range args {
			// Nothing is written or truncated: a hole in the box must not harm the
			// machine.
			f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
			if err == nil {
				f.Close()
			}
			fmt.Printf("%s: %v\n", path, errnoOf(err))
		}
	case "environ":
		fmt.Println(strings.Join(os.Environ(), "\n"))
	case "dial":
		for _, address := range args {
			conn, err := net.DialTimeout("tcp", address, 5*time.Second)
			if err == nil {
				conn.Close()
			}
			fmt.Printf("%s: %v\n", address, errnoOf(err))
		}
	case "listen":
		l, err := net.Listen("tcp", "localhost:0")
		if err != nil {
			fmt.Println(err)
			return 1
		}
		conn, err := net.Dial("tcp", fmt.Sprintf("localhost:%d", l.Addr().(*net.TCPAddr).Port))
		fmt.Println("loopback:", err)
		if err == nil {
			conn.Close()
		}
		l.Close()
	case "unix":
		conn, err := net.Dial("unix", args[0])
		if err == nil {
			conn.Close()
		}
		fmt.Println("unix:", errnoOf(err))
	case "kill":
		// args: the process namespace of the machine. Without one of our own, these
		// signals would reach others; and never signal all of them (-1).
		if ns, err := os.Readlink("/proc/self/ns/pid"); err != nil || len(args) != 1 || args[0] == "" || ns == args[0] {
			fmt.Println("not in a box")
			return 2
		}
		for _, pid := range []int{1, os.Getppid()} {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		fmt.Println("still here")
		_ = syscall.Kill(0, syscall.SIGKILL)
		time.Sleep(time.Minute)
	case "daemon":
		child := exec.Command(os.Args[0], "role", "stay", args[0])
		child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		err := child.Start()
		for i := 0; err == nil && i < 1000; i++ {
			if _, serr := os.Stat(args[0]); serr == nil {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		fmt.Println("daemon:", err)
	case "stay":
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT)
		for {
			_ = os.WriteFile(args[0], []byte(time.Now().Format(time.RFC3339Nano)), 0o600)
			time.Sleep(5 * time.Millisecond)
		}
	case "hang":
		fmt.Println("hanging")
		for { // without cgo, Go ends a program that only waits in a select
			time.Sleep(time.Hour)
		}
	case "interrupted":
		c := make(chan os.Signal, 1)
		signal.Notify(c, os.Interrupt)
		fmt.Println("waiting")
		<-c
		time.Sleep(300 * time.Millisecond) // as go test takes some time
		fmt.Println("ending in order")
	case "fill":
		signal.Ignore(syscall.SIGXFSZ)
		f, err := os.Create(args[0])
		block := make([]byte, 1<<20)
		n := 0
		for ; err == nil && n < 300; n++ {
			_, err = f.Write(block)
		}
		fmt.Printf("%d MiB: %v\n", n-1, errnoOf(err))
	case "memory":
		all, err := syscall.Mmap(-1, 0, 5<<30, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
		fmt.Println("memory:", len(all), errnoOf(err))
	case "rename":
		fmt.Println("rename:", errnoOf(os.Rename(args[0], args[1])))
	case "unshare":
		// unshare(2) itself works only in single-threaded processes.
		child := exec.Command("/proc/self/exe", "role", "environ")
		child.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER}
		fmt.Println("unshare:", errnoOf(child.Run()))
	case "look":
		for _, dir := range args {
			entries, err := os.ReadDir(dir)
			var names []string
			for _, e := range entries {
				names = append(names, e.Name())
			}
			fmt.Printf("%s: %v %v\n", dir, names, errnoOf(err))
		}
	case "search":
		// args: what to look for in the environments of all processes.
		files, _ := filepath.Glob("/proc/[0-9]*/environ")
		found := 0
		for _, f := range files {
			if data, _ := os.ReadFile(f); strings.Contains(string(data), args[0]) {
				found++
			}
		}
		fmt.Println("processes read:", len(files), "found:", found)
	default:
		fmt.Println("no such role")
		return 2
	}
	return 0
}

// errnoOf returns the system's word for an error, without paths.
func errnoOf(err error) string {
	var errno syscall.Errno
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, fs.ErrNotExist):
		return "not there"
	case errors.As(err, &errno):
		return errno.Error()
	}
	return err.Error()
}
