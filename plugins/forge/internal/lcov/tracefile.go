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
	// maxLine bounds a line of the tracefile, maxLines the number of lines with code in
	// all sources, and maxNumber a line number.
	maxLine   = 64 << 10
	maxLines  = 5_000_000
	maxNumber = 10_000_000
)

// Tracefile holds how often each line with code was executed, by the path of the source
// as written.
type Tracefile map[string]map[int]uint64

// ErrUnended reports that a tracefile ends within the section of a source.
var ErrUnended = errors.New("the tracefile ends within a section")

// Read reads a tracefile. Sections of the same source are added up. With an error it
// returns what was read before.
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
			line, hits, err := parseExecution(value)
			if err != nil || lines == nil {
				return t, fmt.Errorf("line %d of the tracefile: %q is not the record of a line", number, clip(text))
			}
			if total++; total > maxLines {
				return t, fmt.Errorf("more than %d lines", maxLines)
			}
			lines[line] = max(lines[line], lines[line]+hits)
		case text != "" && !isRecord(key) && text[0] != '#':
			return t, fmt.Errorf("line %d of the tracefile: %q is not a record", number, clip(text))
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

// isRecord reports whether a key looks like that of a record, such as FNDA or BRH.
// Which other records there are depends on the version.
func isRecord(key string) bool {
	return key != "" && len(key) <= 8 && strings.Trim(key, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// parseExecution reads "LINE,HITS[,CHECKSUM]".
func parseExecution(value string) (line int, hits uint64, err error) {
	fields := strings.Split(value, ",")
	if len(fields) < 2 {
		return 0, 0, errors.New("no execution count")
	}
	if line, err = strconv.Atoi(fields[0]); err != nil {
		return 0, 0, err
	}
	if line < 1 || line > maxNumber {
		return 0, 0, errors.New("invalid line number")
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
