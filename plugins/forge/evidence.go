package forge

import (
	"fmt"

	"github.com/proctorhq/proctor/sdk"
)

// reportRepetition reports that there were several documents of results. Where
// forge prints one, something else wrote the others, such as a test that may
// write to any file.
func (p *parser) reportRepetition() {
	if p.accepted < 2 {
		return
	}
	text := fmt.Sprintf("the output has %d documents of results", p.accepted)
	if p.once {
		text += ", and this version of forge prints one: something else may have written results"
		p.sink.Unread(sdk.Unread{Bytes: int64(p.accepted - 1), Damaged: true, Sample: text})
	}
	p.sink.Note(text)
}
