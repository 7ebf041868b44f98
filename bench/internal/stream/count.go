package stream

import (
	"bytes"
	"strings"
)

// Count is what a stream contains, to expose a reader that is fast because it reads badly.
type Count struct {
	Events  int
	Bytes   int64
	Passed  int
	Skipped int
	// Failed counts failed tests, without those that failed only because a subtest did;
	// FailEvents includes those.
	Failed     int
	FailEvents int
	// Unfinished counts tests whose process ended in a subtest, so that the other subtests never
	// started.
	Unfinished int
}

func (c *Count) add(o Count) {
	c.Events += o.Events
	c.Bytes += o.Bytes
	c.Passed += o.Passed
	c.Skipped += o.Skipped
	c.Failed += o.Failed
	c.FailEvents += o.FailEvents
	c.Unfinished += o.Unfinished
}

// countLines counts complete tests. No test in the recording both fails by itself and has
// a failed subtest.
func countLines(lines []line) Count {
	c := Count{Events: len(lines)}
	failed, panicked := map[string]bool{}, map[string]bool{}
	for _, l := range lines {
		c.Bytes += int64(len(l.text))
		if l.test == "" {
			continue
		}
		switch l.action {
		case "pass":
			c.Passed++
		case "skip":
			c.Skipped++
		case "fail":
			c.FailEvents++
			failed[l.test] = true
		case "output":
			if bytes.Contains(l.text, []byte(`"Output":"panic: `)) {
				panicked[l.test] = true
			}
		}
	}
	for test := range failed {
		inner := false
		for other := range failed {
			inner = inner || strings.HasPrefix(other, test+"/")
		}
		switch {
		case !inner:
			c.Failed++
		case panicked[test]:
			c.Unfinished++
		}
	}
	return c
}
