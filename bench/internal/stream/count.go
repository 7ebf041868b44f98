package stream

import "strings"

// Count is what a stream contains, to expose a reader that is fast because it reads
// badly.
type Count struct {
	Events  int
	Bytes   int64
	Passed  int
	Skipped int
	// Failed counts failed tests, without those that failed only because a subtest did;
	// FailEvents includes those.
	Failed     int
	FailEvents int
}

func (c *Count) add(o Count) {
	c.Events += o.Events
	c.Bytes += o.Bytes
	c.Passed += o.Passed
	c.Skipped += o.Skipped
	c.Failed += o.Failed
	c.FailEvents += o.FailEvents
}

// counted counts complete tests. No test in the recording both fails by itself and has
// a failed subtest.
func counted(lines []line) Count {
	c := Count{Events: len(lines)}
	failed := map[string]bool{}
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
		}
	}
	for test := range failed {
		inner := false
		for other := range failed {
			inner = inner || strings.HasPrefix(other, test+"/")
		}
		if !inner {
			c.Failed++
		}
	}
	return c
}
