package lcov

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

const (
	// maxLine bounds a line of a tracefile, maxLines all lines with code together, and
	// maxNumber the number of a line.
	maxLine   = 64 << 10
	maxLines  = 5_000_000
	maxNumber = 10_000_000
)

// Tracefile tells, of each source by its path as written, how often each line that has
// code was executed.
type Tracefile map[string]map[int]uint64

// ErrUnended says that a tracefile ends within the part of a source.
var ErrUnended = errors.New("the end is missing")

// Read reads a tracefile. Parts of one source add up. What was read is returned with
// an error, too.
func Read(r io.Reader) (Tracefile, error) {
	t := Tracefile{}
	var lines map[int]uint64
	total, number := 0, 0
	scanner := bufio.NewScanner(r)
	scanner.Buffer(nil, maxLine)
	for scanner.Scan() {
		number++
		text := strings.TrimSpace(scanner.Text())
		key, value, _ := strings.Cut(text, ":")
		switch {
		case key == "SF":
			if lines = t[value]; lines == nil {
				lines = map[int]uint64{}
				t[value] = lines
			}
		case text == "end_of_record":
			lines = nil
		case key == "DA":
			line, hits, err := execution(value)
			if err != nil || lines == nil {
				return t, fmt.Errorf("line %d of the tracefile: %q is no line of a source", number, clip(text))
			}
			if total++; total > maxLines {
				return t, fmt.Errorf("more than %d lines", maxLines)
			}
			lines[line] = max(lines[line], lines[line]+hits)
		case text != "" && !isRecord(key) && text[0] != '#':
			return t, fmt.Errorf("line %d of the tracefile: %q is no record", number, clip(text))
		}
	}
	if err := scanner.Err(); err != nil {
		return t, err
	}
	if lines != nil {
		return t, ErrUnended
	}
	return t, nil
}

// isRecord reports whether a key is written as those of records are: FNDA, BRH. Those that
// are not read here are as many as there are versions.
func isRecord(key string) bool {
	return key != "" && len(key) <= 8 && strings.Trim(key, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// execution reads "LINE,HITS[,CHECKSUM]".
func execution(value string) (line int, hits uint64, err error) {
	fields := strings.Split(value, ",")
	if len(fields) < 2 {
		return 0, 0, errors.New("it has no count")
	}
	if line, err = strconv.Atoi(fields[0]); err != nil {
		return 0, 0, err
	}
	if line < 1 || line > maxNumber {
		return 0, 0, errors.New("there is no such line")
	}
	hits, err = strconv.ParseUint(fields[1], 10, 64)
	return line, hits, err
}

func clip(text string) string {
	const most = 100
	if len(text) > most {
		return text[:most] + "..."
	}
	return text
}
