package profile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/proctorhq/proctor/sdk"
)

const (
	// maxLine bounds a line: a path and six numbers.
	maxLine = 16 << 10
	// maxNumber bounds lines, columns and statements.
	maxNumber = 1 << 30
)

// DamagedError reports that parts of a profile cannot be read. The rest counts.
type DamagedError struct {
	// Lines is how many lines are damaged, First the number of the first one.
	Lines, First int
}

// Error names the first damaged line.
func (e *DamagedError) Error() string {
	if e.Lines > 1 {
		return fmt.Sprintf("%d lines of the coverage profile are malformed, the first of them line %d", e.Lines, e.First)
	}
	return fmt.Sprintf("line %d of the coverage profile is malformed", e.First)
}

// errTooMany reports a profile with too many blocks.
var errTooMany = errors.New("the coverage profile names too many blocks")

// Read reads a profile and returns the numbers of the executed blocks. New blocks get
// the next numbers. With a [*DamagedError], or an error of the reader, the set has what
// was read.
func (n *Numbering) Read(from io.Reader) (executed sdk.BlockSet, err error) {
	lines := bufio.NewReaderSize(from, maxLine)
	damaged := DamagedError{}
	last := lastFile{}
	for number := 1; ; number++ {
		line, err := lines.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			damaged.add(number)
			if err = skipLine(lines); err == nil {
				continue
			}
			line = nil
		}
		if line = bytes.TrimRight(line, "\r\n"); len(line) > 0 || number == 1 && damaged.Lines == 0 {
			block, hit, ok := n.readLine(line, number == 1, &last)
			switch {
			case !ok:
				damaged.add(number)
			case block == tooMany:
				return executed, errTooMany
			case hit:
				executed = executed.Add(block)
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return executed, err
		}
	}
	if damaged.Lines > 0 {
		return executed, &damaged
	}
	return executed, nil
}

func (e *DamagedError) add(line int) {
	if e.Lines == 0 {
		e.First = line
	}
	e.Lines++
}

// lastFile avoids looking up a file for each of its blocks.
type lastFile struct {
	name   []byte
	number int32
}

// tooMany and noBlock replace a block's number.
const (
	tooMany = -1
	noBlock = -2
)

// readLine reads a line. The first one must give the mode; later ones may, in merged
// profiles.
func (n *Numbering) readLine(line []byte, first bool, last *lastFile) (block int, hit, ok bool) {
	if mode, is := bytes.CutPrefix(line, []byte("mode: ")); is {
		known := string(mode) == "set" || string(mode) == "count" || string(mode) == "atomic"
		return noBlock, false, known
	}
	if first {
		return 0, false, false
	}
	name, p, statements, hit, ok := cutBlock(line)
	if !ok {
		return 0, false, false
	}
	if !bytes.Equal(name, last.name) || last.name == nil {
		if !utf8.Valid(name) || bytes.IndexByte(name, 0) >= 0 {
			return 0, false, false
		}
		last.number = n.fileNumber(name)
		last.name = append(last.name[:0], name...)
	}
	p.file = last.number
	block, room := n.blockNumber(p, statements)
	if !room {
		return tooMany, false, true
	}
	return block, hit, true
}

// cutBlock parses "file:1.2,3.4 5 6". The path of a file may have colons, spaces and
// digits in it, so the line is parsed from its end. If a //line directive moved the
// code, columns are 0, and a block may end before it begins.
func cutBlock(line []byte) (file []byte, p place, statements int32, hit, ok bool) {
	rest, count, digits := cutNumber(line, ' ')
	ok = digits
	hit = count != 0
	for _, part := range []struct {
		into   *int32
		before byte
	}{{&statements, ' '}, {&p.endColumn, '.'}, {&p.endLine, ','}, {&p.startColumn, '.'}, {&p.startLine, ':'}} {
		var number int64
		rest, number, digits = cutNumber(rest, part.before)
		ok = ok && digits && number < maxNumber
		*part.into = int32(min(number, maxNumber))
	}
	return rest, p, statements, hit, ok && len(rest) > 0
}

// cutNumber cuts a decimal number, with the byte before it, off the end of a text. Too
// large a number becomes the maximum.
func cutNumber(text []byte, before byte) (rest []byte, number int64, ok bool) {
	at := len(text)
	for at > 0 && text[at-1] >= '0' && text[at-1] <= '9' {
		at--
	}
	if at == len(text) || at == 0 || text[at-1] != before {
		return nil, 0, false
	}
	for _, digit := range text[at:] {
		if number = number*10 + int64(digit-'0'); number > 1<<40 {
			number = 1 << 40
		}
	}
	return text[:at-1], number, true
}

// skipLine reads to the end of a line.
func skipLine(lines *bufio.Reader) error {
	for {
		_, err := lines.ReadSlice('\n')
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}
