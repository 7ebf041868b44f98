package process

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"time"
)

// coreVersion is the version of go-plugin's own handshake.
const coreVersion = "1"

// Greeting is a handshake line.
type Greeting struct {
	// Protocol is the version that the plugin chose to speak.
	Protocol string
	Network  string
	Address  string
	// Certificate is in DER, or nil without TLS.
	Certificate []byte
	// After is how long the plugin took to print it.
	After time.Duration
}

// GreetingError reports a plugin without a handshake.
type GreetingError struct {
	// Reason says what was seen, and Advice what to do.
	Reason, Advice string
	// Line is the first line of standard output, and Stderr the end of standard error.
	Line, Stderr string
}

func (e *GreetingError) Error() string {
	text := fmt.Sprintf("no handshake: %s; %s", e.Reason, e.Advice)
	if words := strings.TrimSpace(e.Stderr); words != "" {
		text += "; on standard error: " + strings.ToValidUTF8(words[max(0, len(words)-maxStderrShown):], "")
	}
	return text
}

// maxStderrShown is how many bytes of standard error are in a message: the cause is
// usually at its end.
const maxStderrShown = 600

// Greeting waits for the handshake line.
func (p *Process) Greeting(ctx context.Context, limit time.Duration) (Greeting, error) {
	began := time.Now()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-p.stdout.ready:
	case <-timer.C:
		return Greeting{}, p.greetingError(fmt.Sprintf("nothing was printed to standard output within %v", limit),
			"print the handshake line and flush it: output to a pipe is often buffered")
	case <-ctx.Done():
		return Greeting{}, context.Cause(ctx)
	}
	line, _ := p.Stdout()
	after := time.Since(began)
	if line == "" {
		reason := "the first line on standard output is empty"
		if p.WaitFor(ctx, pipeDelay) {
			reason = "the plugin ended (" + p.Exit().String() + ") before it printed anything to standard output"
		}
		return Greeting{}, p.greetingError(reason, "listen, print the handshake line, then serve")
	}
	g, reason := parseGreeting(strings.TrimSpace(line))
	if reason != "" {
		return Greeting{}, p.greetingError(reason, "print nothing to standard output before the handshake, and the handshake as 1|1|unix|/path/to/socket|grpc|")
	}
	g.After = after
	return g, nil
}

func (p *Process) greetingError(reason, advice string) error {
	line, _ := p.Stdout()
	return &GreetingError{Reason: reason, Advice: advice, Line: line, Stderr: p.Stderr()}
}

// parseGreeting returns why a line is not a handshake, or "".
func parseGreeting(line string) (Greeting, string) {
	parts := strings.Split(line, "|")
	if len(parts) < 5 {
		return Greeting{}, fmt.Sprintf("the first line on standard output is %.200q", line)
	}
	g := Greeting{Protocol: parts[1], Network: parts[2], Address: parts[3]}
	switch {
	case parts[0] != coreVersion:
		return g, fmt.Sprintf("the first field is %.20q: go-plugin's handshake has version %s", parts[0], coreVersion)
	case parts[4] != "grpc":
		return g, fmt.Sprintf("the fifth field is %.20q instead of grpc", parts[4])
	case g.Network != "unix" && g.Network != "tcp":
		return g, fmt.Sprintf("the network is %.20q, which is neither unix nor tcp", g.Network)
	}
	if len(parts) > 5 && parts[5] != "" {
		der, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(parts[5], "="))
		if err != nil {
			return g, "its sixth field is not a certificate in base64: " + err.Error()
		}
		g.Certificate = der
	}
	return g, ""
}
