package plugin

import (
	"runtime/debug"
	"testing"
)

// percent reads the collector's percentage.
func percent() int {
	now := debug.SetGCPercent(100)
	debug.SetGCPercent(now)
	return now
}

// Not parallel: the percentage is global.
func TestTheCollectorComesEarlierWhileLongStreamsAreRead(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	short, one, other := &ParseStream{}, &ParseStream{}, &ParseStream{}
	send := func(s *ParseStream, bytes int64) {
		s.countSent(bytes / 2)
		s.countSent(bytes - bytes/2)
	}
	send(short, longStream-1)
	if percent() != 100 {
		t.Errorf("a short stream makes it %d", percent())
	}
	send(one, longStream)
	send(other, 3*longStream)
	if percent() != longStreamPercent {
		t.Errorf("while two are read it is %d", percent())
	}
	short.release()
	one.release()
	one.release() // Cancel after Close
	if percent() != longStreamPercent {
		t.Errorf("while one of two is still read it is %d", percent())
	}
	other.release()
	send(other, longStream)
	if percent() != 100 {
		t.Errorf("after the last one it is %d", percent())
	}
	for _, set := range []int{-1, 10, shortRunPercent} {
		debug.SetGCPercent(set)
		PutOffCollection()
		s := &ParseStream{}
		send(s, longStream)
		if percent() != min(set, longStreamPercent) {
			t.Errorf("while a long stream is read, what the user set to %d is %d", set, percent())
		}
		s.release()
		if percent() != set {
			t.Errorf("what the user set to %d is %d", set, percent())
		}
	}
}

// Not parallel: the percentage is global.
func TestAQuestionPutsOffOnlyTheFirstCollection(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	collector.putOff(questionPercent)
	if percent() != questionPercent {
		t.Errorf("it is %d", percent())
	}
	s := &ParseStream{}
	s.countSent(longStream)
	collector.endPutOff()
	if percent() != longStreamPercent {
		t.Errorf("while a long stream is read it is %d", percent())
	}
	s.release()
	collector.putOff(questionPercent)
	collector.endPutOff()
	if percent() != 100 {
		t.Errorf("after a collection it is %d", percent())
	}
}

// Not parallel: the percentage is global.
func TestOnlyAShortRunPutsOffTheCollector(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	PutOffCollection()
	if percent() != shortRunPercent {
		t.Errorf("it is %d", percent())
	}
	s := &ParseStream{}
	s.countSent(longStream)
	if percent() != longStreamPercent {
		t.Errorf("while a long stream is read it is %d", percent())
	}
	s.release()
	if percent() != 100 {
		t.Errorf("after a long stream it is %d", percent())
	}
}
