package plugin

import (
	"fmt"
	"net"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

const (
	// greetingMax is the longest handshake line. With a certificate for AutoMTLS it has
	// about 1 KiB.
	greetingMax = 8 << 10
	// shownLine is how much of a wrong greeting is shown: enough to recognize its
	// origin.
	shownLine = 512
	// coreProtocol is the version of go-plugin's own handshake.
	coreProtocol = "1"
)

// badGreeting is why the first line of a plugin is rejected.
type badGreeting struct {
	reason, advice string
	// printed is the line.
	printed string
}

// checkGreeting validates the first line that a plugin printed. go-plugin would connect
// to any address in it; here it must be a socket in the plugin's own directory.
func checkGreeting(line, socketDir string) *badGreeting {
	parts := strings.Split(strings.TrimSpace(line), "|")
	refuse := func(advice, reason string, args ...any) *badGreeting {
		return &badGreeting{reason: fmt.Sprintf(reason, args...), advice: advice, printed: cleanLine(line, shownLine)}
	}
	if len(parts) < 5 {
		return refuse("a plugin prints nothing to stdout before its handshake: print to stderr instead",
			"its first line on stdout is not a handshake")
	}
	if parts[0] != coreProtocol {
		return refuse("rebuild the plugin with a current SDK", "it speaks version %s of go-plugin's handshake and proctor speaks %s",
			cleanLine(parts[0], 16), coreProtocol)
	}
	if version, err := strconv.Atoi(parts[1]); err != nil || version != sdk.ProtocolVersion {
		return refuse(versionAdvice(version, err), "it speaks version %s of the detector protocol and proctor speaks %d",
			cleanLine(parts[1], 16), sdk.ProtocolVersion)
	}
	if parts[4] != "grpc" {
		return refuse("rebuild the plugin with a current SDK", "it wants to speak %s and proctor speaks gRPC only", cleanLine(parts[4], 16))
	}
	if reason := refusedAddress(parts[2], parts[3], socketDir); reason != "" {
		return refuse("a plugin listens where "+strings.TrimSuffix(socketDirVariable, "=")+" says", "%s", reason)
	}
	return nil
}

func versionAdvice(version int, err error) string {
	if err == nil && version > sdk.ProtocolVersion {
		return "install a newer proctor, or an older version of the plugin"
	}
	return "install a newer version of the plugin"
}

// refusedAddress says why proctor will not connect to an address; empty if it will.
func refusedAddress(network, address, socketDir string) string {
	shown := cleanLine(network+" "+address, 256)
	if runtime.GOOS == "windows" {
		host, _, err := net.SplitHostPort(address)
		if ip := net.ParseIP(host); network != "tcp" || err != nil || ip == nil || !ip.IsLoopback() {
			return "it listens on " + shown + ", which is not a local port"
		}
		return ""
	}
	if network != "unix" {
		return "it listens on " + shown + ", which is not a Unix socket"
	}
	if filepath.Dir(filepath.Clean(address)) != socketDir {
		return "it listens on " + shown + ", which is outside its own directory"
	}
	return ""
}

// HandshakeError reports that the plugin could not be started, or did not greet like
// one.
type HandshakeError struct {
	Plugin Identity
	// Reason says what went wrong.
	Reason string
	// Advice says what to do.
	Advice string
	// Exit is how the process ended by itself; nil if it did not.
	Exit *ExitStatus
	// Stdout is what it printed instead of a handshake.
	Stdout string
	// Stderr holds its last lines, Panic the text of its panic.
	Stderr []string
	Panic  string
	Err    error
}

func (e *HandshakeError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s) did not start: %s", e.Plugin, e.Plugin.Path, e.Reason)
	if e.Exit != nil {
		fmt.Fprintf(&b, " (%s)", e.Exit)
	}
	if e.Advice != "" {
		b.WriteString("; " + e.Advice)
	}
	return b.String()
}

// Detail returns what the plugin printed.
func (e *HandshakeError) Detail() string {
	detail := lastWords(e.Panic, e.Stderr)
	if e.Stdout == "" {
		return detail
	}
	return strings.TrimSuffix("printed to stdout: "+e.Stdout+"\n"+detail, "\n")
}

func (e *HandshakeError) Unwrap() error { return e.Err }
