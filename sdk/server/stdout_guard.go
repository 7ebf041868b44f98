package server

import (
	"io"
	"os"

	"github.com/proctorhq/proctor/internal/lazyregexp"
	"github.com/proctorhq/proctor/sdk"
)

// guardStdout keeps standard output free for go-plugin's handshake, which must be the
// first line on it: an earlier print would make the plugin unusable, and no message
// would name the cause. os.Stdout becomes a pipe, from which only the handshake goes to
// standard output and the rest to standard error.
//
// go-plugin replaces os.Stdout once more after its handshake. Code that kept the
// guarded one continues to print to standard error.
func guardStdout() error {
	out, in, err := os.Pipe()
	if err != nil {
		return err
	}
	go passHandshake(out, os.Stdout, os.Stderr)
	os.Stdout = in
	return nil
}

// handshakePattern matches the beginning of go-plugin's handshake line: core version,
// protocol version, network.
var handshakePattern = lazyregexp.New(`\d+\|\d+\|(unix|tcp)\|`)

// maxHandshake is more than a handshake with a certificate takes.
const maxHandshake = 16 << 10

// passHandshake copies the first handshake in printed to stdout, and everything else to
// stderr. A print without a line end may precede the handshake on its line.
func passHandshake(printed io.Reader, stdout, stderr io.Writer) {
	passed := false
	lines := sdk.NewLineReader(maxHandshake, func(l sdk.Line) {
		text := l.Text
		if at := handshakePattern.FindIndex(text); at != nil && !passed {
			passed = true
			_, _ = stdout.Write(append(text[at[0]:len(text):len(text)], '\n'))
			text = text[:at[0]]
		}
		if len(text) > 0 {
			_, _ = stderr.Write(append(text[:len(text):len(text)], '\n'))
		}
	})
	chunk := make([]byte, maxHandshake)
	for {
		n, err := printed.Read(chunk)
		lines.Write(chunk[:n])
		if err != nil {
			lines.Close()
			return
		}
	}
}
