package fingerprint

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// tracked is an entry of git's index: a file that git knows, with its stat when git
// read it.
type tracked struct {
	path string
	stat indexStat
	hash Hash
	mode uint32
	// usable is false if the object is not what the working tree should have: in a
	// conflict, or merely announced by add --intent-to-add.
	usable bool
	// absent reports whether a sparse checkout leaves the file out.
	absent bool
}

// indexStat is the part of a file's stat that the index stores.
type indexStat struct {
	ctime, mtime [2]uint32 // seconds, nanoseconds
	ino          uint32
	uid, gid     uint32
	size         uint32
}

// The modes of git.
const (
	gitDirectory = 0o040000
	gitRegular   = 0o100644
	gitLinkMode  = 0o120000
	gitSubmodule = 0o160000
	gitTypes     = 0o170000
)

// matches reports whether the file is certainly as git saw it: the stat is the same,
// and the file was not modified so shortly before the index was written that a later
// change could look the same ("racy git").
func (t *tracked) matches(s stat, written time.Time) bool {
	return t.looks(s) && !s.racy(written)
}

// looks reports whether the stat is as git saw it. An entry of size 0 may be one that
// git marked as racy. Entries written by tools that fill in less than git never match;
// such files are read.
func (t *tracked) looks(s stat) bool {
	i := &t.stat
	if !t.usable || s.size == 0 || s.kind == other || s.kind == directory {
		return false
	}
	if isLink := t.mode&gitTypes == gitLinkMode; isLink != (s.kind == symlink) {
		return false
	}
	same := i.mtime == split(s.mtime) && i.size == uint32(s.size)
	if hasInodes {
		same = same && i.ctime == split(s.ctime) && i.ino == uint32(s.ino) && i.uid == s.uid && i.gid == s.gid
	}
	return same
}

func split(ns int64) [2]uint32 {
	t := time.Unix(0, ns)
	return [2]uint32{uint32(t.Unix()), uint32(t.Nanosecond())}
}

// errIndex reports an index form that we do not parse, but git does.
var errIndex = errors.New("the index has an unknown format")

// The format of the index; see gitformat-index.
const (
	indexHeader   = 12
	indexStatSize = 40
	flagExtended  = 0x4000
	flagStage     = 0x3000
	flagSkip      = 0x4000 // of the extended flags
	flagIntent    = 0x2000
)

// parseIndex parses git's index, versions 2 to 4, sorted by path and without stages.
// The format is documented, and the only source of stats other than output that git
// calls subject to change.
func parseIndex(raw []byte, wide bool) ([]tracked, error) {
	sum := 20
	if wide {
		sum = 32
	}
	if len(raw) < indexHeader+sum || string(raw[:4]) != "DIRC" {
		return nil, errIndex
	}
	version, count := binary.BigEndian.Uint32(raw[4:]), binary.BigEndian.Uint32(raw[8:])
	body := raw[:len(raw)-sum]
	if version < 2 || version > 4 || uint64(count) > uint64(len(body)/(indexStatSize+sum)) {
		return nil, errIndex
	}
	entries := make([]tracked, 0, count)
	p := indexParser{body: body, at: indexHeader, sum: sum, version: version}
	for range count {
		e, err := p.next()
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	if err := p.extensions(); err != nil {
		return nil, err
	}
	return settle(entries), nil
}

type indexParser struct {
	body    []byte
	at      int
	sum     int
	version uint32
	last    string
}

func (p *indexParser) next() (e tracked, err error) {
	start, fixed := p.at, indexStatSize+p.sum+2
	if start+fixed > len(p.body) {
		return e, errIndex
	}
	b := p.body[start:]
	field := func(n int) uint32 { return binary.BigEndian.Uint32(b[4*n:]) }
	e.stat = indexStat{
		ctime: [2]uint32{field(0), field(1)}, mtime: [2]uint32{field(2), field(3)},
		ino: field(5), uid: field(7), gid: field(8), size: field(9),
	}
	e.mode = field(6)
	copy(e.hash[:], b[indexStatSize:])
	flags := binary.BigEndian.Uint16(b[indexStatSize+p.sum:])
	e.usable = flags&flagStage == 0
	if flags&flagExtended != 0 {
		if p.version < 3 || start+fixed+2 > len(p.body) {
			return e, errIndex
		}
		more := binary.BigEndian.Uint16(b[fixed:])
		e.absent = more&flagSkip != 0
		e.usable = e.usable && more&flagIntent == 0
		fixed += 2
	}
	p.at += fixed
	return e, p.name(&e, start)
}

// name reads the path. Up to version 3 an entry is padded with at least one zero to a
// multiple of 8; in version 4 a path says how much of the end of its predecessor to
// drop.
func (p *indexParser) name(e *tracked, start int) error {
	keep := 0
	if p.version == 4 {
		drop, n := offsetVarint(p.body[p.at:])
		if n == 0 || drop > uint64(len(p.last)) {
			return errIndex
		}
		p.at += n
		keep = len(p.last) - int(drop)
	}
	n := bytes.IndexByte(p.body[p.at:], 0)
	if n < 0 || keep+n == 0 || keep+n > maxPath {
		return errIndex
	}
	e.path = p.last[:keep] + string(p.body[p.at:p.at+n])
	p.at += n + 1
	if p.version < 4 {
		p.at = start + (p.at-1-start)/8*8 + 8
	} else {
		p.last = e.path
	}
	if p.at > len(p.body) {
		return errIndex
	}
	return nil
}

// offsetVarint reads a number as in pack files: each further byte adds one.
func offsetVarint(b []byte) (v uint64, n int) {
	for n < len(b) && n < 8 {
		c := b[n]
		n++
		v = v<<7 | uint64(c&0x7f)
		if c&0x80 == 0 {
			return v, n
		}
		v++
	}
	return 0, 0
}

// extensions rejects an index with a required but unknown extension, such as a split
// index. That of a sparse index only announces entries for directories.
func (p *indexParser) extensions() error {
	for rest := p.body[p.at:]; len(rest) > 0; {
		if len(rest) < 8 {
			return errIndex
		}
		name, size := string(rest[:4]), uint64(binary.BigEndian.Uint32(rest[4:]))
		if size > uint64(len(rest)-8) || (name[0] < 'A' || name[0] > 'Z') && name != "sdir" {
			return fmt.Errorf("%w: extension %q", errIndex, name)
		}
		rest = rest[8+size:]
	}
	return nil
}

// settle merges the stages of a conflict into one unusable entry, and drops the
// directories of a sparse index, which are absent.
func settle(entries []tracked) []tracked {
	if !slices.IsSortedFunc(entries, byPath) {
		slices.SortFunc(entries, byPath)
	}
	entries = slices.CompactFunc(entries, func(a, b tracked) bool { return a.path == b.path })
	return slices.DeleteFunc(entries, func(e tracked) bool { return e.mode&gitTypes == gitDirectory })
}

func byPath(a, b tracked) int { return strings.Compare(a.path, b.path) }

// parseStaged reads `git ls-files --stage -t -z`, which supports every form of the
// index but reports no stats, so all files will be read. A line is a tag, a mode, an
// object, a stage and a path.
func parseStaged(out []byte) ([]tracked, error) {
	var entries []tracked
	for line := range bytes.SplitSeq(out, []byte{0}) {
		if len(line) == 0 {
			continue
		}
		head, path, ok := strings.Cut(string(line), "\t")
		fields := strings.Fields(head)
		if !ok || len(fields) != 4 || path == "" {
			return nil, fmt.Errorf("%w: %q", errIndex, line)
		}
		e := tracked{path: path, absent: fields[0] == "S", usable: fields[3] == "0"}
		var err error
		if e.mode, e.hash, err = modeAndHash(fields[1], fields[2]); err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return settle(entries), nil
}
