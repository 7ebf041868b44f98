package fingerprint

import (
	"io/fs"
	"time"
)

// stat shows whether a file was touched. It is compared as a whole.
type stat struct {
	// mtime and ctime are in nanoseconds; ctime is zero if unsupported.
	mtime, ctime int64
	size         int64
	ino          uint64
	uid, gid     uint32
	kind         kind
	// executable refers to the owner.
	executable bool
}

// kind is the kind of a directory entry.
type kind uint8

const (
	// other covers what has no stable content: pipes, sockets, devices.
	other kind = iota
	regular
	symlink
	directory
)

func kindOf(mode fs.FileMode) kind {
	switch mode.Type() {
	case 0:
		return regular
	case fs.ModeSymlink:
		return symlink
	case fs.ModeDir:
		return directory
	default:
		return other
	}
}

// File times advance with the kernel's tick, at most 10 ms, or as coarsely as the file
// system stores them: in whole seconds, two on FAT.
const (
	tick       = 20 * time.Millisecond
	coarseTick = 2 * time.Second
)

// touched returns the latest time in a stat.
func (s stat) touched() int64 { return max(s.mtime, s.ctime) }

// racy reports whether a change after the moment could leave the stat unchanged,
// because the file clock did not advance in between.
func (s stat) racy(moment time.Time) bool {
	return s.touched() >= moment.Add(-grain(s.touched())).UnixNano()
}

// grain returns how coarse a time may be.
func grain(t int64) time.Duration {
	if t%int64(time.Second) == 0 {
		return coarseTick
	}
	return tick
}

// maxSkew is more than a file server's clock or time zone puts a time ahead of ours.
const maxSkew = 24 * time.Hour

// touchedBefore returns the latest time in a stat that is not far ahead of the moment: somebody
// set that, or the clock was wrong then. It is zero if there is none.
func (s stat) touchedBefore(now time.Time) int64 {
	latest, t := now.Add(maxSkew).UnixNano(), s.touched()
	if t > latest {
		t = min(s.mtime, s.ctime)
	}
	if t > latest {
		return 0
	}
	return t
}

// since reports whether a file was modified at the moment or later, as far as its time
// shows.
func (s stat) since(moment, now time.Time) bool {
	t := s.touchedBefore(now)
	if t%int64(time.Second) == 0 {
		t += int64(coarseTick) // it is the beginning of a span
	}
	return t >= moment.UnixNano()
}
