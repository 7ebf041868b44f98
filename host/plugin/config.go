package plugin

import (
	"time"

	"github.com/hashicorp/go-hclog"
)

const (
	// StartTimeout bounds the handshake. A plugin needs 5 ms; a laptop that has just
	// woken up, with a virus scanner at work, needs seconds.
	StartTimeout = 5 * time.Second
	// DescribeTimeout bounds an answer that is a constant.
	DescribeTimeout = 2 * time.Second
	// CallTimeout bounds the calls that compose commands: they may read a large
	// workspace from a slow disk.
	CallTimeout = 10 * time.Second
	// ParseIdleTimeout is how long a parser may neither take output nor report while it
	// is expected to. Parsers process hundreds of MB in that time.
	ParseIdleTimeout = 30 * time.Second
	// ParseEndTimeout bounds what follows the end of the output, for a parser that
	// reports forever.
	ParseEndTimeout = 5 * time.Minute
	// ReceiveTimeout bounds an answer of many messages, which the plugin derives from
	// files: minutes for those of a large project.
	ReceiveTimeout = 15 * time.Minute
	// CloseGrace is how long a plugin may take to end when asked to. Then it is killed;
	// it has nothing to lose.
	CloseGrace = time.Second
)

// Config says which plugin to start and how. Zero durations mean the defaults above.
type Config struct {
	Candidate Candidate
	// HostVersion is passed to the plugin, for its logs.
	HostVersion string
	// Logger receives the plugin's logs; nil discards them. It must not write to
	// standard output.
	Logger hclog.Logger
	// RunDir is the directory for sockets and the plugin's temporary files. It is
	// private to the user and short. Empty means $XDG_RUNTIME_DIR/proctor, or a
	// directory of the user below the temporary directory.
	RunDir string
	// Environ is the environment, in the form of [os.Environ], from which a plugin gets
	// a few variables; nil means that of this process.
	Environ []string

	StartTimeout     time.Duration
	DescribeTimeout  time.Duration
	CallTimeout      time.Duration
	ParseIdleTimeout time.Duration
	ParseEndTimeout  time.Duration
	ReceiveTimeout   time.Duration
	CloseGrace       time.Duration
}

func (c Config) withDefaults() Config {
	if c.Logger == nil {
		c.Logger = hclog.NewNullLogger()
	}
	for _, d := range []struct {
		value    *time.Duration
		standard time.Duration
	}{
		{&c.StartTimeout, StartTimeout},
		{&c.DescribeTimeout, DescribeTimeout},
		{&c.CallTimeout, CallTimeout},
		{&c.ParseIdleTimeout, ParseIdleTimeout},
		{&c.ParseEndTimeout, ParseEndTimeout},
		{&c.ReceiveTimeout, ReceiveTimeout},
		{&c.CloseGrace, CloseGrace},
	} {
		if *d.value == 0 {
			*d.value = d.standard
		}
	}
	return c
}
