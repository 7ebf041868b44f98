package rest

import (
	"runtime"
	"testing"
	"time"
)

func TestMemoryIsGivenBackAfterACall(t *testing.T) {
	forced := func() uint32 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.NumForcedGC
	}
	rest := New(time.Nanosecond)
	before := forced()
	rest.Called()
	const patience = time.Minute
	for end := time.Now().Add(patience); forced() == before; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("no collection within %v", patience)
		}
	}
}
