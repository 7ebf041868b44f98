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

var sink []byte

// countCollections counts the runs of the collector while much garbage is produced.
func countCollections(b *Ballast) uint32 {
	const garbage, piece = 256 << 20, 32 << 10
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range garbage / piece {
		b.Message()
		sink = make([]byte, piece)
	}
	runtime.ReadMemStats(&after)
	return after.NumGC - before.NumGC
}

func TestBallastMakesTheCollectorRunLessOften(t *testing.T) {
	light := countCollections(&Ballast{messages: longStream})
	if laden := countCollections(new(Ballast)); laden > light*2/3 {
		t.Errorf("the collector runs %d times with ballast and %d times without", laden, light)
	}
}
