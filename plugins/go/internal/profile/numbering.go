package profile

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// maxBlocks bounds the blocks of a [Numbering]. The largest Go programs have a million.
const maxBlocks = 8 << 20

// Numbering numbers the blocks that profiles name, from 0. The zero value has none.
type Numbering struct {
	files  []string
	fileAt map[string]int32
	blocks []place
	at     map[place]int32
	// statements is how many each block has.
	statements []int32
}

// place is the place of a block. Merged profiles name a block twice; its place
// identifies it.
type place struct{ file, startLine, startColumn, endLine, endColumn int32 }

// Len returns the number of blocks.
func (n *Numbering) Len() int { return len(n.blocks) }

// Begin returns the file of block number, as profiles name it, and the line in which it
// begins.
func (n *Numbering) Begin(number int) (file string, line int) {
	p := n.blocks[number]
	return n.files[p.file], int(p.startLine)
}

// fileNumber numbers a file.
func (n *Numbering) fileNumber(name []byte) int32 {
	if at, known := n.fileAt[string(name)]; known {
		return at
	}
	if n.fileAt == nil {
		n.fileAt = map[string]int32{}
	}
	at := int32(len(n.files))
	n.files = append(n.files, string(name))
	n.fileAt[n.files[at]] = at
	return at
}

// blockNumber returns the number of a block. ok is false if there are too many.
func (n *Numbering) blockNumber(p place, statements int32) (int, bool) {
	if at, known := n.at[p]; known {
		return int(at), true
	}
	if len(n.blocks) >= maxBlocks {
		return 0, false
	}
	if n.at == nil {
		n.at = map[place]int32{}
	}
	at := len(n.blocks)
	n.at[p] = int32(at)
	n.blocks = append(n.blocks, p)
	n.statements = append(n.statements, statements)
	return at, true
}

// Files returns the blocks by file, both in order and the files of a directory
// together, and the numbers of the blocks in that order: element i is that of block i.
func (n *Numbering) Files() (files []sdk.CoveredFile, numbers []int) {
	ranks := n.rankFiles()
	order := make([]int, len(n.blocks))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		p, q := n.blocks[a], n.blocks[b]
		return cmp.Or(
			cmp.Compare(ranks[p.file], ranks[q.file]),
			cmp.Compare(p.startLine, q.startLine), cmp.Compare(p.startColumn, q.startColumn),
			cmp.Compare(p.endLine, q.endLine), cmp.Compare(p.endColumn, q.endColumn),
		)
	})
	numbers = make([]int, len(n.blocks))
	for to, from := range order {
		numbers[from] = to
		p := n.blocks[from]
		if name := n.files[p.file]; len(files) == 0 || files[len(files)-1].File != name {
			files = append(files, sdk.CoveredFile{File: name})
		}
		last := &files[len(files)-1]
		last.Blocks = append(last.Blocks, sdk.Block{
			StartLine: int(p.startLine), StartColumn: int(p.startColumn),
			EndLine: int(p.endLine), EndColumn: int(p.endColumn), Statements: int(n.statements[from]),
		})
	}
	return files, numbers
}

// rankFiles returns the indices of the files in order.
func (n *Numbering) rankFiles() []int {
	order := make([]int, len(n.files))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(
			strings.Compare(path.Dir(n.files[a]), path.Dir(n.files[b])),
			strings.Compare(n.files[a], n.files[b]),
		)
	})
	ranks := make([]int, len(order))
	for rank, file := range order {
		ranks[file] = rank
	}
	return ranks
}

// Renumber returns the set in which block i has the number numbers[i], without blocks
// whose number is negative or missing.
func Renumber(set sdk.BlockSet, numbers []int) sdk.BlockSet {
	var renumbered sdk.BlockSet
	for at, bits := range set {
		for bit := 0; bits != 0; bit, bits = bit+1, bits>>1 {
			if block := 8*at + bit; bits&1 == 1 && block < len(numbers) && numbers[block] >= 0 {
				renumbered = renumbered.Add(numbers[block])
			}
		}
	}
	return renumbered
}
