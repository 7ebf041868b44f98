package profile_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/plugins/go/internal/profile"
	"github.com/proctorhq/proctor/sdk"
)

// executedBlocks returns the places of the blocks in a set.
func executedBlocks(n *profile.Numbering, set sdk.BlockSet) []sdk.Block {
	files, numbers := n.Files()
	set = profile.Renumber(set, numbers)
	var blocks []sdk.Block
	at := 0
	for _, file := range files {
		for _, block := range file.Blocks {
			if set.Has(at) {
				blocks = append(blocks, block)
			}
			at++
		}
	}
	return blocks
}

func TestReadReturnsTheExecutedBlocks(t *testing.T) {
	var n profile.Numbering
	set, err := n.Read(strings.NewReader("mode: count\n" +
		"example.com/m/b.go:7.2,9.10 3 0\n" +
		"example.com/m/a b:1.go:5.19,6.11 1 18446744073709551616\n" +
		"example.com/m/a b:1.go:1.19,2.11 0 2\r\n" +
		"mode: count\n" +
		"example.com/m/b.go:3.2,4.10 2 0\n"))
	if err != nil {
		t.Fatal(err)
	}
	files, _ := n.Files()
	want := []sdk.CoveredFile{
		{File: "example.com/m/a b:1.go", Blocks: []sdk.Block{
			{StartLine: 1, StartColumn: 19, EndLine: 2, EndColumn: 11},
			{StartLine: 5, StartColumn: 19, EndLine: 6, EndColumn: 11, Statements: 1},
		}},
		{File: "example.com/m/b.go", Blocks: []sdk.Block{
			{StartLine: 3, StartColumn: 2, EndLine: 4, EndColumn: 10, Statements: 2},
			{StartLine: 7, StartColumn: 2, EndLine: 9, EndColumn: 10, Statements: 3},
		}},
	}
	if diff := cmp.Diff(want, files); diff != "" {
		t.Errorf("files differ (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want[0].Blocks, executedBlocks(&n, set)); diff != "" {
		t.Errorf("executed blocks differ (-want +got):\n%s", diff)
	}
}

func TestBlockIsExecutedWhenOneOfItsLinesSaysSo(t *testing.T) {
	var n profile.Numbering
	set, err := n.Read(strings.NewReader("mode: set\na.go:1.1,2.2 1 0\na.go:1.1,2.2 1 1\na.go:1.1,2.2 1 0\n"))
	if err != nil || n.Len() != 1 || !set.Has(0) {
		t.Errorf("%d blocks, executed %v, error %v", n.Len(), set, err)
	}
}

func TestNumbersStayWhenAnotherProfileIsRead(t *testing.T) {
	var n profile.Numbering
	first, _ := n.Read(strings.NewReader("mode: set\na.go:1.1,2.2 1 1\na.go:3.1,4.2 1 0\n"))
	second, _ := n.Read(strings.NewReader("mode: set\nb.go:1.1,2.2 1 1\na.go:3.1,4.2 1 1\n"))
	if n.Len() != 3 || !first.Has(0) || first.Has(1) || !second.Has(1) || !second.Has(2) || second.Has(0) {
		t.Errorf("%d blocks, sets %v and %v", n.Len(), first, second)
	}
}

func TestReadKeepsTheValidLinesOfADamagedProfile(t *testing.T) {
	const good = "a.go:1.1,2.2 1 1\n"
	for _, test := range []struct {
		name, text  string
		lines, line int
		blocks      int
	}{
		{"empty", "", 1, 1, 0},
		{"no mode", good + good, 1, 1, 1},
		{"unknown mode", "mode: often\n" + good, 1, 1, 1},
		{"cut before the count", "mode: set\n" + good + "a.go:3.1,4.2 1", 1, 3, 1},
		{"cut within the place", "mode: set\n" + good + "a.go:3.1,4", 1, 3, 1},
		{"no file", "mode: set\n:3.1,4.2 1 1\n" + good, 1, 2, 1},
		{"no number", "mode: set\na.go:3.x,4.2 1 1\n" + good, 1, 2, 1},
		{"huge number", "mode: set\na.go:99999999999999999999.1,4.2 1 1\n" + good, 1, 2, 1},
		{"negative", "mode: set\na.go:-1.1,3.2 1 1\n" + good, 1, 2, 1},
		{"not UTF-8", "mode: set\n\xff.go:1.1,3.2 1 1\n" + good, 1, 2, 1},
		{"endless line", "mode: set\n" + strings.Repeat("x", 100_000) + "\n" + good + "no\n", 2, 2, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			var n profile.Numbering
			set, err := n.Read(strings.NewReader(test.text))
			if damaged, ok := errors.AsType[*profile.DamagedError](err); !ok || damaged.Lines != test.lines || damaged.First != test.line {
				t.Errorf("error is %v, want %d lines from line %d", err, test.lines, test.line)
			}
			if n.Len() != test.blocks || set.Has(0) != (test.blocks > 0) {
				t.Errorf("%d blocks, executed %v; want %d", n.Len(), set, test.blocks)
			}
		})
	}
}

func TestReadReturnsErrorsOfTheReader(t *testing.T) {
	var n profile.Numbering
	set, err := n.Read(io.MultiReader(strings.NewReader("mode: set\na.go:1.1,2.2 1 1\n"), iotest.ErrReader(io.ErrClosedPipe)))
	if !errors.Is(err, io.ErrClosedPipe) || !set.Has(0) {
		t.Errorf("error %v, set %v", err, set)
	}
}

// The blocks of any profile are sane, and reading it again adds nothing.
func FuzzReadIsTotal(f *testing.F) {
	f.Add("mode: set\na.go:1.1,2.2 1 1\n")
	f.Add("mode: count\n_/x/a.go:1.1,2.2 1 99999999999999999999\n\n\nmode: set\n")
	f.Fuzz(func(t *testing.T, text string) {
		var n profile.Numbering
		first, _ := n.Read(strings.NewReader(text))
		blocks := n.Len()
		again, _ := n.Read(iotest.OneByteReader(strings.NewReader(text)))
		if n.Len() != blocks || !cmp.Equal(first, again) {
			t.Errorf("%d blocks %v, then %d %v", blocks, first, n.Len(), again)
		}
		files, numbers := n.Files()
		counted := 0
		for _, file := range files {
			counted += len(file.Blocks)
			for _, b := range file.Blocks {
				if file.File == "" || b.StartLine < 0 || b.EndLine < 0 || b.StartColumn < 0 || b.EndColumn < 0 {
					t.Errorf("block %+v of %q", b, file.File)
				}
			}
		}
		if counted != blocks || len(numbers) != blocks || len(first) > (blocks+7)/8 {
			t.Errorf("%d blocks, %d in files, %d numbers, %d bytes", blocks, counted, len(numbers), len(first))
		}
	})
}
