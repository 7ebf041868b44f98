package brokenplugin

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/proctorhq/proctor/sdk"
)

// beforeServing runs before there is a server. done reports whether the program must
// end, and code is its exit code.
func beforeServing(mode string) (code int, done bool) {
	if os.Getenv(sdk.EnvCookie) == "" {
		return explainByHand(mode)
	}
	if os.Getenv("PLUGIN_PROTOCOL_VERSIONS") != "1" {
		switch mode {
		case "claims-any-version":
		case "hangs-without-version":
			hang()
		case "ends-well-without-version":
			return 0, true
		default:
			fmt.Fprintln(os.Stderr, "no common version of the protocol")
			return 1, true
		}
	}
	switch mode {
	case "hangs-at-start":
		hang()
	case "ends-at-start":
		fmt.Fprintln(os.Stderr, "no configuration found")
		return 7, true
	case "prints-first":
		fmt.Println("hello")
	case "needs-home":
		if os.Getenv("HOME") == "" {
			fmt.Fprintln(os.Stderr, "where is HOME?")
			return 1, true
		}
	case "writes-home":
		leaveFile(os.Getenv("HOME"))
	case "writes-here":
		leaveFile(".")
	case "leaves-child":
		if err := exec.Command("sleep", "60").Start(); err != nil { // the kit ends the group
			return 1, true
		}
	case "good":
		leaveFile(os.TempDir()) // which is allowed
	}
	return 0, false
}

// explainByHand answers a person who starts the program.
func explainByHand(mode string) (code int, done bool) {
	const help = "This is a plugin of proctor; it does nothing on its own."
	switch mode {
	case "by-hand-well":
		fmt.Fprintln(os.Stderr, help)
		return 0, true
	case "by-hand-on-stdout":
		fmt.Println(help)
	case "by-hand-silent":
		return 1, true
	case "by-hand-serves":
		hang()
	}
	fmt.Fprintln(os.Stderr, help)
	return 1, true
}

// hang never returns. Without cgo, Go ends a program that only waits in a select.
func hang() {
	for {
		time.Sleep(time.Hour)
	}
}

func leaveFile(dir string) {
	if dir != "" {
		_ = os.WriteFile(filepath.Join(dir, "left"+strings.Repeat("-", 3)+"behind"), []byte("cache"), 0o600)
	}
}
