package plugin

import (
	"time"

	"github.com/hashicorp/go-hclog"
)

const (
	// defaultStartTimeout bounds the handshake. A plugin takes 5 ms, but seconds on a laptop
	// that has just woken up and runs a virus scanner.
	defaultStartTimeout = 5 * time.Second
	// defaultDescribeTimeout bounds an answer that is a constant.
	defaultDescribeTimeout = 2 * time.Second
	// defaultCallTimeout bounds the calls that compose commands: they may read a large
	// workspace from a slow disk.
	defaultCallTimeout = 10 * time.Second
	// defaultParseIdleTimeout is how long a parser that is expected to make progress may
	// neither take output nor report. Parsers process hundreds of MB in that time.
	defaultParseIdleTimeout = 30 * time.Second
	// defaultParseEndTimeout bounds what follows the end of the output, for a parser that
	// reports forever.
	defaultParseEndTimeout = 5 * time.Minute
	// defaultReceiveTimeout bounds an answer of many messages, which the plugin derives from
	// files: minutes for those of a large project.
	defaultReceiveTimeout = 15 * time.Minute
	// defaultCloseGrace is how long a plugin may take to end when asked to. Then it is killed;
	// it has nothing to lose.
	defaultCloseGrace = time.Second
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

// logger returns the logger of all that is about the plugin.
func (c Config) logger() hclog.Logger { return c.Logger.Named("plugin." + c.Candidate.Name) }

func (c Config) withDefaults() Config {
	if c.Logger == nil {
		c.Logger = hclog.NewNullLogger()
	}
	for _, d := range []struct {
		value    *time.Duration
		standard time.Duration
	}{
		{&c.StartTimeout, defaultStartTimeout},
		{&c.DescribeTimeout, defaultDescribeTimeout},
		{&c.CallTimeout, defaultCallTimeout},
		{&c.ParseIdleTimeout, defaultParseIdleTimeout},
		{&c.ParseEndTimeout, defaultParseEndTimeout},
		{&c.ReceiveTimeout, defaultReceiveTimeout},
		{&c.CloseGrace, defaultCloseGrace},
	} {
		if *d.value == 0 {
			*d.value = d.standard
		}
	}
	return c
}
