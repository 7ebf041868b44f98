package parse

import (
	"regexp"
	"sync"
)

// compileLazily returns an expression that is compiled when it is first used: most runs need
// few of them, and every start of the plugin would wait for all.
func compileLazily(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
