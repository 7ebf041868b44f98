package cargotest

import (
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// foreign counts lines that are not the runner's: what tests printed past libtest.
type foreign struct {
	bytes  int64
	sample strings.Builder
}

func (f *foreign) add(text string) {
	f.bytes += int64(len(text)) + 1
	if room := sdk.MaxSample - f.sample.Len(); room > 0 {
		f.sample.WriteString(text[:min(len(text), room)])
		f.sample.WriteByte('\n')
	}
}

func (f *foreign) report(sink sdk.Sink) {
	if f.bytes > 0 {
		sink.Unread(sdk.Unread{Bytes: f.bytes, Sample: f.sample.String()})
	}
}
