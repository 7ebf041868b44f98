package ballast

import (
	"runtime"
	"testing"
)

func TestOnlyALongStreamAllocatesBallast(t *testing.T) {
	var b Ballast
	for range longStream - 1 {
		b.Message()
	}
	if b.memory != nil {
		t.Error("a short stream allocates ballast")
	}
	for range 2 * longStream {
		b.Message()
	}
	if len(b.memory) != size {
		t.Errorf("a long stream has %d bytes of ballast, want %d", len(b.memory), size)
	}
}

// nextCollection returns the size of the heap, in bytes, at which the collector runs
// next after a long stream. Unlike the number of its runs, this does not depend on how
// busy the machine is.
func nextCollection(b *Ballast) uint64 {
	for range 2 * longStream {
		b.Message()
	}
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	runtime.KeepAlive(b)
	return stats.NextGC
}

func TestBallastMakesTheCollectorRunLessOften(t *testing.T) {
	light := nextCollection(&Ballast{messages: longStream})
	if laden := nextCollection(new(Ballast)); laden < light+size {
		t.Errorf("the collector runs at %d bytes with ballast and at %d without", laden, light)
	}
}
