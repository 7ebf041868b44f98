package parse

import (
	"regexp"
	"sync"
)

// expression returns an expression that is compiled when it is first used: most runs need
// few of them, and every start of the plugin would wait for all.
func expression(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
