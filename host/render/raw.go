package render

import (
	"strings"

	"github.com/proctorhq/proctor/host/api"
)

// Raw renders standard output, standard error if there is any, the timeout if there was
// one, and the runner's exit code.
func Raw(o api.RawOutput) string {
	var b strings.Builder
	section(&b, o.Stdout)
	if o.Stderr != "" {
		b.WriteString("--- stderr ---\n")
		section(&b, o.Stderr)
	}
	if o.TimedOut {
		b.WriteString(TimedOutAfter(o.Limit) + "\n")
	}
	if o.NoExit {
		b.WriteString(noExit + "\n")
	} else {
		b.WriteString(exitLine(o.ExitCode) + "\n")
	}
	return b.String()
}

func section(b *strings.Builder, text string) {
	b.WriteString(text)
	if text != "" && !strings.HasSuffix(text, "\n") {
		b.WriteByte('\n')
	}
}
