package fingerprint

import (
	"testing"
	"time"
)

func TestTheIndexIsNotTrustedForWhatItMayHaveMissed(t *testing.T) {
	written := time.Unix(1_700_000_000, 500_000_000)
	at := func(before time.Duration) int64 { return written.Add(-before).UnixNano() }
	for name, c := range map[string]struct {
		time  int64
		alter func(*tracked, *stat)
		want  bool
	}{
		"long before":             {at(time.Hour), nil, true},
		"a moment before":         {at(30 * time.Millisecond), nil, true},
		"within a tick":           {at(5 * time.Millisecond), nil, false},
		"at that time":            {at(0), nil, false},
		"later":                   {at(-time.Hour), nil, false},
		"in a coarse file system": {written.Truncate(time.Second).UnixNano(), nil, false},
		"long before, coarse":     {at(500*time.Millisecond + 5*time.Second), nil, true},
		"another size":            {at(time.Hour), func(_ *tracked, s *stat) { s.size++ }, false},
		"another time":            {at(time.Hour), func(_ *tracked, s *stat) { s.mtime++ }, false},
		"another inode":           {at(time.Hour), func(_ *tracked, s *stat) { s.ino++ }, !hasInodes},
		"changed otherwise":       {at(time.Hour), func(_ *tracked, s *stat) { s.ctime++ }, !hasInodes},
		"empty":                   {at(time.Hour), func(e *tracked, s *stat) { e.stat.size, s.size = 0, 0 }, false},
		"a link by now":           {at(time.Hour), func(_ *tracked, s *stat) { s.kind = symlink }, false},
		"in a conflict":           {at(time.Hour), func(e *tracked, _ *stat) { e.usable = false }, false},
	} {
		e := tracked{path: "a", mode: gitRegular, usable: true, stat: indexStat{ctime: split(c.time), mtime: split(c.time), ino: 7, size: 5}}
		s := stat{mtime: c.time, ctime: c.time, ino: 7, size: 5, kind: regular}
		if c.alter != nil {
			c.alter(&e, &s)
		}
		if got := e.matches(s, written); got != c.want {
			t.Errorf("%s: got %t, want %t", name, got, c.want)
		}
	}
}
