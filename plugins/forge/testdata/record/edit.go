//go:build unix

package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/proctorhq/proctor/plugins/forge/testdata/corpus"
)

// edit changes a recorded stream as the case says.
func edit(data []byte, e corpus.Edit) ([]byte, error) {
	switch {
	case e.Pattern != "":
		return replace(data, e)
	case e.CutAfter != "":
		i := bytes.Index(data, []byte(e.CutAfter))
		if i < 0 {
			return nil, fmt.Errorf("the stream does not hold %q", e.CutAfter)
		}
		return data[:i+len(e.CutAfter)], nil
	case e.DropEnd > 0:
		return data[:max(0, len(data)-e.DropEnd)], nil
	case e.Append != "":
		return append(data, e.Append...), nil
	case e.Prepend != "":
		return append([]byte(e.Prepend), data...), nil
	case e.Twice:
		return append(bytes.Clone(data), data...), nil
	case e.Pretty:
		var buf bytes.Buffer
		err := json.Indent(&buf, data, "", "  ")
		return buf.Bytes(), err
	}
	return nil, fmt.Errorf("the edit %+v does nothing", e)
}

func replace(data []byte, e corpus.Edit) ([]byte, error) {
	re, err := regexp.Compile(e.Pattern)
	if err != nil {
		return nil, err
	}
	at := re.FindSubmatchIndex(data)
	if at == nil {
		return nil, fmt.Errorf("the stream does not match %q", e.Pattern)
	}
	with := []byte(strings.Repeat(e.With, max(e.Repeat, 1)))
	if e.Hex {
		if with, err = hex.DecodeString(string(with)); err != nil {
			return nil, err
		}
	}
	if !e.First {
		return re.ReplaceAll(data, with), nil
	}
	out := bytes.Clone(data[:at[0]])
	out = re.Expand(out, with, data, at)
	return append(out, data[at[1]:]...), nil
}
