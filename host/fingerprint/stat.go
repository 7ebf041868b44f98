package fingerprint

import (
	"io/fs"
	"time"
)

// stat is what tells that a file was not touched. It is compared whole.
type stat struct {
	// mtime and ctime are in nanoseconds; ctime is zero where there is none.
	mtime, ctime int64
	size         int64
	ino          uint64
	uid, gid     uint32
	kind         kind
	// executable by its owner.
	executable bool
}

// kind is what a directory entry is.
type kind uint8

const (
	// other things have no content that is the same twice: pipes, sockets, devices.
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

// Times of files are those of the kernel's tick, at most 10 ms, or as coarse as
// the file system keeps them: whole seconds, two of them on FAT.
const (
	tick       = 20 * time.Millisecond
	coarseTick = 2 * time.Second
)

// touched is the latest time in a stat.
func (s stat) touched() int64 { return max(s.mtime, s.ctime) }

// racy reports whether a change after the moment could leave the stat as it is,
// because the clock of the files did not go on in between.
func (s stat) racy(moment time.Time) bool {
	return s.touched() >= moment.Add(-grain(s.touched())).UnixNano()
}

// grain is how coarse a time may be.
func grain(t int64) time.Duration {
	if t%int64(time.Second) == 0 {
		return coarseTick
	}
	return tick
}

// since reports whether a file was modified at a moment or later, as far as its
// time tells.
func (s stat) since(moment time.Time) bool {
	t := s.touched()
	if t%int64(time.Second) == 0 {
		t += int64(coarseTick) // it is the beginning of a span
	}
	return t >= moment.UnixNano()
}
