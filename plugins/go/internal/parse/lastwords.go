package parse

import (
	"regexp"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

var (
	// recovered is what the runtime adds to a panic that was recovered and
	// raised again, as package testing does.
	recovered = regexp.MustCompile(` \[recovered[^\]]*\]$`)
	// addresses differ from run to run and say nothing.
	addresses = regexp.MustCompile(` pc=0x[0-9a-f]+`)
)

// message cleans the words of the runtime.
func (c *crash) message() (kind, message string) {
	if at := slices.IndexFunc(c.head, func(l string) bool { return strings.HasPrefix(l, fatalError) }); at >= 0 {
		kind, message = sdk.KindFatal, c.fatalMessage(at)
	} else if len(c.head) > 0 && strings.HasPrefix(c.head[0], "SIG") {
		kind, message = sdk.KindFatal, c.head[0]
	} else {
		kind, message = sdk.KindPanic, c.panicMessage()
	}
	switch {
	case message == "":
		message = kind + " without a message"
	case strings.HasPrefix(message, "unexpected call to os.Exit("):
		kind = sdk.KindExit
	}
	return kind, message
}

const (
	fatalError = "fatal error: "
	panicStart = "panic: "
)

// fatalMessage is the paragraph of a fatal error, with the line that may
// announce it.
func (c *crash) fatalMessage(at int) string {
	var kept []string
	for _, text := range c.head[at:] {
		if text == "" {
			break
		}
		kept = append(kept, addresses.ReplaceAllString(text, ""))
	}
	kept[0] = strings.TrimPrefix(kept[0], fatalError)
	if at > 0 && strings.HasPrefix(c.head[0], "unexpected fault") {
		kept[0] += ": " + c.head[0]
	}
	return tidy(kept)
}

// panicMessage joins a chain of panics. One that was recovered and raised again
// is printed twice until Go 1.22.
func (c *crash) panicMessage() string {
	var chain []string
	var current []string
	end := func() {
		if text := tidy(current); text != "" && (len(chain) == 0 || chain[len(chain)-1] != text) {
			chain = append(chain, text)
		}
		current = nil
	}
	aside := ""
	for _, text := range c.head {
		text = recovered.ReplaceAllString(text, "")
		if strings.HasPrefix(text, "[signal ") {
			aside = addresses.ReplaceAllString(text, "")
			continue
		}
		text = strings.TrimPrefix(text, "\t")
		if rest, found := strings.CutPrefix(text, panicStart); found {
			end()
			text = rest
		}
		current = append(current, text)
	}
	end()
	message := strings.Join(chain, "\n"+panicStart)
	if aside != "" {
		message += "\n" + aside
	}
	return message
}
