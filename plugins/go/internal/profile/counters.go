package profile

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math"

	"github.com/proctorhq/proctor/sdk"
)

// The files in which an instrumented program leaves its counters are for Go's own use, but have
// had one version since Go 1.20; see https://go.dev/src/internal/coverage/defs.go. They are
// read because writing and reading a profile takes longer than most tests.

const (
	metaMagic    = "\x00cvm"
	counterMagic = "\x00cwm"
	fileVersion  = 1
	hashSize     = 16

	metaHeader     = 56 // of the file
	packageHeader  = 44 // of each package
	counterHeader  = 32
	counterFooter  = 16
	perBlock       = 1
	plainCounters  = 1
	packedCounters = 2
)

// errFormat reports a file of counters that cannot be read.
var errFormat = errors.New("the files with the counters have an unknown form")

// Counters knows which block each counter of a program is of.
type Counters struct {
	hash [hashSize]byte
	// blocks are those of each function of each package.
	blocks [][][]int32
	// distinct is how many there are.
	distinct int
}

// ReadCounters reads what a program says about its counters. All blocks must have a number
// already, from a profile of the same program.
func (n *Numbering) ReadCounters(data []byte) (*Counters, error) {
	r := bytesReader{data: data}
	if r.text(4) != metaMagic || r.fixed32() != fileVersion || r.fixed64() != uint64(len(data)) {
		return nil, errFormat
	}
	packages := r.fixed64()
	c := &Counters{}
	copy(c.hash[:], r.text(hashSize))
	r.text(8) // the table of texts
	if _, granularity := r.byte(), r.byte(); granularity != perBlock || packages > uint64(len(data)) {
		return nil, errFormat
	}
	seen := make([]bool, n.Len())
	for at := range int(packages) {
		offsets := bytesReader{data: data, at: metaHeader + 8*at}
		from := offsets.fixed64()
		offsets.at = metaHeader + 8*(int(packages)+at)
		length := offsets.fixed64()
		if offsets.failed || from > uint64(len(data)) || length > uint64(len(data))-from {
			return nil, errFormat
		}
		functions, ok := n.readPackage(data[from:from+length], seen)
		if !ok {
			return nil, errFormat
		}
		c.blocks = append(c.blocks, functions)
	}
	for _, is := range seen {
		if is {
			c.distinct++
		}
	}
	if r.failed {
		return nil, errFormat
	}
	return c, nil
}

// readPackage reads the blocks of the functions of a package, and marks them as seen.
func (n *Numbering) readPackage(data []byte, seen []bool) (functions [][]int32, ok bool) {
	r := bytesReader{data: data, at: packageHeader - 4}
	count := int(r.fixed32())
	if count > len(data) {
		return nil, false
	}
	table := bytesReader{data: data, at: packageHeader + 4*count}
	texts := make([]string, min(table.packed(), uint64(len(data))))
	for i := range texts {
		texts[i] = table.text(int(min(table.packed(), math.MaxInt32)))
	}
	for at := range count {
		r.at = packageHeader + 4*at
		r.at = int(r.fixed32())
		units := r.packed()
		r.packed() // its name
		file := r.packed()
		if r.failed || table.failed || units > uint64(len(data)) || file >= uint64(len(texts)) {
			return nil, false
		}
		number, known := n.fileAt[texts[file]]
		if !known && units > 0 {
			return nil, false
		}
		blocks := make([]int32, 0, units)
		for range units {
			p := place{file: number}
			for _, into := range []*int32{&p.startLine, &p.startColumn, &p.endLine, &p.endColumn} {
				*into = int32(min(r.packed(), math.MaxInt32))
			}
			statements := r.packed()
			block, known := n.at[p]
			if r.failed || !known || statements != uint64(n.statements[block]) {
				return nil, false
			}
			seen[block] = true
			blocks = append(blocks, block)
		}
		functions = append(functions, blocks)
	}
	return functions, !r.failed
}

// Len returns the number of blocks that have a counter.
func (c *Counters) Len() int { return c.distinct }

// Hash identifies the program, as the names of its files do.
func (c *Counters) Hash() string { return hex.EncodeToString(c.hash[:]) }

// AddExecuted adds the blocks that a file of counters has as executed to a set.
func (c *Counters) AddExecuted(executed sdk.BlockSet, data []byte) (sdk.BlockSet, error) {
	r := bytesReader{data: data}
	if r.text(4) != counterMagic || r.fixed32() != fileVersion || r.text(hashSize) != string(c.hash[:]) {
		return executed, errFormat
	}
	flavor, bigEndian := r.byte(), r.byte()
	footer := bytesReader{data: data, at: max(len(data)-counterFooter, 0)}
	if footer.text(4) != counterMagic || footer.fixed32() != 0 || footer.fixed32() != 1 {
		return executed, errFormat // cut off, or of several runs
	}
	r.data, r.at = data[:len(data)-counterFooter], counterHeader
	functions, texts, args := r.fixed64(), r.fixed32(), r.fixed32()
	r.text(int(min(uint64(texts)+uint64(args), math.MaxInt32)))
	r.at = (r.at + 3) &^ 3
	next := r.packed
	switch {
	case flavor == plainCounters && bigEndian == 0:
		next = func() uint64 { return uint64(r.fixed32()) }
	case flavor != packedCounters:
		return executed, errFormat
	}
	if functions > uint64(len(data)) {
		return executed, errFormat
	}
	for range functions {
		count, pkg, function := next(), next(), next()
		if r.failed || pkg >= uint64(len(c.blocks)) || function >= uint64(len(c.blocks[pkg])) || count != uint64(len(c.blocks[pkg][function])) {
			return executed, errFormat
		}
		for _, block := range c.blocks[pkg][function] {
			if next() != 0 {
				executed = executed.Add(int(block))
			}
		}
	}
	if r.failed {
		return executed, errFormat
	}
	return executed, nil
}

// bytesReader reads numbers. Beyond the end it reads zeros and has failed.
type bytesReader struct {
	data   []byte
	at     int
	failed bool
}

func (r *bytesReader) text(n int) string {
	if n < 0 || r.at < 0 || r.at > len(r.data) || n > len(r.data)-r.at {
		r.failed = true
		return ""
	}
	r.at += n
	return string(r.data[r.at-n : r.at])
}

func (r *bytesReader) byte() byte {
	if text := r.text(1); text != "" {
		return text[0]
	}
	return 0
}

func (r *bytesReader) fixed32() uint32 {
	text := r.text(4)
	if text == "" {
		return 0
	}
	return binary.LittleEndian.Uint32([]byte(text))
}

func (r *bytesReader) fixed64() uint64 {
	text := r.text(8)
	if text == "" {
		return 0
	}
	return binary.LittleEndian.Uint64([]byte(text))
}

// packed reads a number of variable length.
func (r *bytesReader) packed() uint64 {
	if r.at < 0 || r.at > len(r.data) {
		r.failed = true
		return 0
	}
	number, n := binary.Uvarint(r.data[r.at:])
	if n <= 0 {
		r.failed = true
		return 0
	}
	r.at += n
	return number
}
