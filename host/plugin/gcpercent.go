package plugin

import (
	"runtime"
	"runtime/debug"
	"sync"
)

// Reading a long stream makes much garbage and keeps little, so the collector runs more
// often meanwhile: that costs a hundredth of the time and saves 10 MiB.
const (
	// longStream is how much output makes a stream long.
	longStream = 2 << 20
	// longStreamPercent is how much the heap may grow between two collections.
	longStreamPercent = 40
	// usualPercent is the percentage if the user set none.
	usualPercent = 100
	// shortRunPercent puts off the first collection from a heap of 4 MiB to one of 8, which
	// a run of a few hundred tests does not reach. It would cost a fifteenth of its CPU.
	shortRunPercent = 200
	// questionPercent puts it off to a heap of 32 MiB, which few questions reach: a collection
	// that begins while a large record is decoded takes longer than the question.
	questionPercent = 800
)

// collector is global, as the garbage collector is.
var collector gcPercent

// gcPercent counts the long streams being read.
type gcPercent struct {
	mu      sync.Mutex
	streams int
	// before is the previous percentage.
	before int
	// isPutOff reports whether it is that of short runs or questions.
	isPutOff bool
}

// PutOffCollection lets a short run end before the first garbage collection, unless the user
// chose a percentage. The first long stream ends that.
func PutOffCollection() { collector.putOff(shortRunPercent) }

// PutOffCollectionToAsk is PutOffCollection for a question. The first collection ends that,
// too: what holds so much is no short question.
func PutOffCollectionToAsk() {
	if collector.putOff(questionPercent) {
		runtime.AddCleanup(new([64]byte), (*gcPercent).endPutOff, &collector)
	}
}

func (g *gcPercent) putOff(percent int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	before := debug.SetGCPercent(percent)
	if g.isPutOff = before == usualPercent; !g.isPutOff {
		debug.SetGCPercent(before)
	}
	return g.isPutOff
}

// endPutOff restores the usual percentage, unless a long stream did.
func (g *gcPercent) endPutOff() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.isPutOff {
		g.isPutOff = false
		debug.SetGCPercent(usualPercent)
	}
}

// lower makes the collector run more often, unless the user chose a lower value or
// switched it off.
func (g *gcPercent) lower() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.streams++; g.streams > 1 {
		return
	}
	g.before = debug.SetGCPercent(longStreamPercent)
	switch {
	case g.before < longStreamPercent:
		debug.SetGCPercent(g.before)
	case g.isPutOff:
		g.before, g.isPutOff = usualPercent, false // it is no short run
	}
}

// restore ends a stream; the last one restores the percentage.
func (g *gcPercent) restore() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.streams--; g.streams == 0 {
		debug.SetGCPercent(g.before)
	}
}

// countSent counts output.
func (s *ParseStream) countSent(bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bytes += bytes; s.bytes >= longStream && !s.ended && !s.lowered {
		s.lowered = true
		collector.lower()
	}
}

// release undoes what a long stream lowered. It is called at every end of a stream.
func (s *ParseStream) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	if s.lowered {
		s.lowered = false
		collector.restore()
	}
}
