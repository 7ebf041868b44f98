package server

import (
	"strings"
	"testing"
)

func TestOnlyTheHandshakeReachesStdout(t *testing.T) {
	const handshake = "1|1|unix|/run/plugin123|grpc|\n"
	for _, test := range []struct{ name, printed, stdout, stderr string }{
		{"nothing else", handshake, handshake, ""},
		{"prints around it", "before\n" + handshake + "after\n", handshake, "before\nafter\n"},
		{"a print without a line end", "loading... " + handshake, handshake, "loading... \n"},
		{"a second handshake", handshake + handshake, handshake, handshake},
		{"over TCP with a certificate", "1|1|tcp|127.0.0.1:1234|grpc|TUlJQ|true\n", "1|1|tcp|127.0.0.1:1234|grpc|TUlJQ|true\n", ""},
		{"no handshake", "1|2\n", "", "1|2\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var stdout, stderr strings.Builder
			passHandshake(strings.NewReader(test.printed), &stdout, &stderr)
			if stdout.String() != test.stdout || stderr.String() != test.stderr {
				t.Errorf("stdout %q, stderr %q", stdout.String(), stderr.String())
			}
		})
	}
}
