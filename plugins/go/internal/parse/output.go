package parse

import (
	"github.com/proctorhq/proctor/plugins/go/internal/testjson"
	"github.com/proctorhq/proctor/sdk"
)

// outputFilter passes on the output of one test: its own and that of its
// subtests, in the order in which it was printed. Without a test it is that of
// the whole suite, build errors included.
type outputFilter struct {
	on    bool
	id    sdk.TestID
	sink  sdk.Sink
	plain []byte
}

func newOutputFilter(id sdk.TestID, sink sdk.Sink) outputFilter {
	return outputFilter{on: id != sdk.TestID{}, id: id, sink: sink}
}

func (o *outputFilter) testText(suite string, name, escaped []byte) {
	if !o.on || suite != o.id.Suite {
		return
	}
	if o.id.Test == "" || string(name) == o.id.Test || isInside(string(name), o.id.Test) {
		o.send(escaped)
	}
}

func (o *outputFilter) suiteText(suite string, escaped []byte) {
	if o.on && suite == o.id.Suite && o.id.Test == "" {
		o.send(escaped)
	}
}

func (o *outputFilter) buildText(owner, line string) {
	if o.on && owner == o.id.Suite && o.id.Test == "" && owner != "" {
		o.sink.Output([]byte(line + "\n"))
	}
}

func (o *outputFilter) send(escaped []byte) {
	o.plain = testjson.AppendUnescaped(o.plain[:0], escaped)
	o.sink.Output(o.plain)
}
