package agent

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// reply is what an answer says.
type reply struct {
	text     string // the whole text
	passed   bool
	failures []failure
}

// failure is one failed test.
type failure struct {
	name string // as tools accept it
	text string // its name, place and message
}

// parseObject parses an object: a run, a list of failures, or a page of output.
func parseObject(text string) (reply, error) {
	var o struct {
		Status      string `json:"status"`
		Outstanding int    `json:"outstanding"`
		Failures    []struct {
			ID, Suite, Test, File, Message string
			Line                           int
			Diff                           struct{ Got, Want, Text string }
		} `json:"failures"`
	}
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return reply{}, err
	}
	a := reply{text: text, passed: o.Status == "passed" && o.Outstanding == 0}
	for _, f := range o.Failures {
		a.failures = append(a.failures, failure{
			name: cmp.Or(f.ID, f.Suite+" "+f.Test),
			text: strings.Join([]string{f.Suite, f.Test, fmt.Sprintf("%s:%d", f.File, f.Line), f.Message, f.Diff.Got, f.Diff.Want, f.Diff.Text}, "\n"),
		})
	}
	return a, nil
}

var (
	numbered    = regexp.MustCompile(`(?m)^\d+\. (.*)$`)
	kind        = regexp.MustCompile(` \[\w+\]$`)
	endsGood    = regexp.MustCompile(`(?m)^exit: 0$`)
	outstanding = regexp.MustCompile(`\b[1-9]\d* (tests?|subtests?|suites?|runs? as a whole|names?) (still )?outstanding`)
)

// parseText parses text as a model would: each failure begins with a number, and the exit code
// is at the end.
func parseText(text string) reply {
	a := reply{text: text, passed: endsGood.MatchString(text) && !outstanding.MatchString(text)}
	heads := numbered.FindAllStringSubmatchIndex(text, -1)
	for i, h := range heads {
		end := len(text)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		a.failures = append(a.failures, failure{
			name: kind.ReplaceAllString(text[h[2]:h[3]], ""),
			text: text[h[0]:end],
		})
	}
	return a
}
