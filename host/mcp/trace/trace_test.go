package trace

import (
	"bytes"
	"strings"
	"testing"
)

func TestATraceIsBounded(t *testing.T) {
	t.Parallel()
	var kept bytes.Buffer
	log := &Log{w: &kept, left: 200}
	for range 100 {
		log.raw("server", "", []byte("a word"))
	}
	if kept.Len() > 300 || strings.Count(kept.String(), "the trace is full") != 1 {
		t.Errorf("the trace is %q", kept.String())
	}
	var none *Log
	none.raw("server", "", []byte("a word"))
}
