package process

import (
	"strings"
	"testing"
)

func TestParseGreetingReadsAHandshakeAndExplainsOtherLines(t *testing.T) {
	for line, want := range map[string]struct {
		greeting Greeting
		says     string
	}{
		"1|1|unix|/s/p|grpc|":              {Greeting{Protocol: "1", Network: "unix", Address: "/s/p"}, ""},
		"1|1|unix|/s/p|grpc":               {Greeting{Protocol: "1", Network: "unix", Address: "/s/p"}, ""},
		"1|2|tcp|127.0.0.1:80|grpc|AQI":    {Greeting{Protocol: "2", Network: "tcp", Address: "127.0.0.1:80", Certificate: []byte{1, 2}}, ""},
		"1|1|unix|/s/p|grpc|AQI=":          {Greeting{Protocol: "1", Network: "unix", Address: "/s/p", Certificate: []byte{1, 2}}, ""},
		"hello":                            {says: `the first line on standard output is "hello"`},
		"":                                 {says: "the first line"},
		"2|1|unix|/s/p|grpc|":              {says: "go-plugin's handshake"},
		"1|1|unix|/s/p|netrpc|":            {says: "instead of grpc"},
		"1|1|udp|/s/p|grpc|":               {says: "neither unix nor tcp"},
		"1|1|unix|/s/p|grpc|no base64":     {says: "not a certificate"},
		"1|1|" + strings.Repeat("x", 5000): {says: "the first line"},
	} {
		got, reason := parseGreeting(line)
		if want.says != "" {
			if !strings.Contains(reason, want.says) || len(reason) > 2000 {
				t.Errorf("%.100q: %q, want %q", line, reason, want.says)
			}
			continue
		}
		if reason != "" || got.Protocol != want.greeting.Protocol || got.Network != want.greeting.Network ||
			got.Address != want.greeting.Address || string(got.Certificate) != string(want.greeting.Certificate) {
			t.Errorf("%q: %+v %s", line, got, reason)
		}
	}
}

func TestTheFirstLineIsBoundedAndSeparateFromTheRest(t *testing.T) {
	g := newOutputStream()
	for _, piece := range []string{"1|1|", "unix", "\nafter", "wards\n"} {
		if _, err := g.Write([]byte(piece)); err != nil {
			t.Fatal(err)
		}
	}
	if first, rest := g.text(); first != "1|1|unix" || rest != "afterwards\n" {
		t.Errorf("%q, %q", first, rest)
	}
	endless := newOutputStream()
	for range 4 {
		_, _ = endless.Write([]byte(strings.Repeat("x", maxGreeting/2)))
	}
	select {
	case <-endless.ready:
	default:
		t.Error("the first line is not ready although it is too long")
	}
	if first, rest := endless.text(); len(first) != maxGreeting || len(rest) != maxGreeting {
		t.Errorf("%d bytes, and %d", len(first), len(rest))
	}
	var last tail
	_, _ = last.Write([]byte(strings.Repeat("a", maxKept)))
	_, _ = last.Write([]byte("the end"))
	if text := last.String(); len(text) != maxKept || !strings.HasSuffix(text, "athe end") {
		t.Errorf("%d bytes", len(text))
	}
}
