//go:build unix

package plugin

import (
	"strings"
	"testing"
)

func TestGreetings(t *testing.T) {
	for name, c := range map[string]struct{ line, reason string }{
		"good":                  {"1|1|unix|/run/p/plugin1|grpc|", ""},
		"with a certificate":    {"1|1|unix|/run/p/plugin1|grpc|AAAA", ""},
		"with carriage return":  {"1|1|unix|/run/p/plugin1|grpc|\r", ""},
		"empty":                 {"", "not a handshake"},
		"text":                  {"hello", "not a handshake"},
		"too few parts":         {"1|1|unix|/run/p/s", "not a handshake"},
		"core":                  {"2|1|unix|/run/p/s|grpc|", "version 2 of go-plugin"},
		"newer":                 {"1|2|unix|/run/p/s|grpc|", "version 2 of the detector protocol"},
		"no number":             {"1|x|unix|/run/p/s|grpc|", "version x of the detector protocol"},
		"net/rpc":               {"1|1|unix|/run/p/s|netrpc|", "netrpc"},
		"tcp":                   {"1|1|tcp|127.0.0.1:80|grpc|", "not a Unix socket"},
		"other directory":       {"1|1|unix|/run/docker.sock|grpc|", "outside"},
		"other directory, dots": {"1|1|unix|/run/p/../docker.sock|grpc|", "outside"},
		"below":                 {"1|1|unix|/run/p/x/s|grpc|", "outside"},
		"abstract":              {"1|1|unix|@x|grpc|", "outside"},
	} {
		t.Run(name, func(t *testing.T) {
			bad := checkGreeting(c.line, "/run/p")
			switch {
			case bad == nil && c.reason != "":
				t.Errorf("accepted; want %q", c.reason)
			case bad != nil && (c.reason == "" || !strings.Contains(bad.reason, c.reason)):
				t.Errorf("got %q, want %q", bad.reason, c.reason)
			case bad != nil && bad.advice == "":
				t.Error("no advice")
			}
		})
	}
}
