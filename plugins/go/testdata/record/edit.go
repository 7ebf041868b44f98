//go:build unix

package main

import (
	"bytes"
	"fmt"

	"github.com/proctorhq/proctor/plugins/go/testdata/corpus"
)

// edit damages a recorded stream as the case says.
func edit(data []byte, e *corpus.Edit) ([]byte, error) {
	if e == nil {
		return data, nil
	}
	if e.CutAfter != "" {
		i := bytes.Index(data, []byte(e.CutAfter))
		if i < 0 {
			return nil, missing(e.CutAfter)
		}
		data = data[:i+len(e.CutAfter)]
	}
	if e.CutLine != "" {
		i := bytes.Index(data, []byte(e.CutLine))
		if i < 0 {
			return nil, missing(e.CutLine)
		}
		data = data[:i+bytes.IndexByte(data[i:], '\n')+1]
	}
	if e.Insert != "" {
		at := bytes.Index(data, []byte(e.Before))
		if at < 0 {
			return nil, missing(e.Before)
		}
		at = bytes.LastIndexByte(data[:at], '\n') + 1
		insert := e.Insert
		if !e.Splice {
			insert += "\n"
		}
		data = bytes.Join([][]byte{data[:at], []byte(insert), data[at:]}, nil)
	}
	if e.Drop != "" {
		var kept [][]byte
		for _, line := range bytes.SplitAfter(data, []byte("\n")) {
			if !bytes.Contains(line, []byte(e.Drop)) {
				kept = append(kept, line)
			}
		}
		data = bytes.Join(kept, nil)
	}
	if e.CRLF {
		data = bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n"))
	}
	if e.BOM {
		data = append([]byte("\xef\xbb\xbf"), data...)
	}
	return data, nil
}

func missing(text string) error { return fmt.Errorf("the stream does not hold %q", text) }
