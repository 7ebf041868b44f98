package declaration

import (
	"encoding/hex"

	"github.com/proctorhq/proctor/plugins/forge/internal/artifact"
	"github.com/proctorhq/proctor/sdk"
)

// Instructions that make up a dispatcher.
const (
	opEQ       = 0x14
	opJUMPI    = 0x57
	opJUMPDEST = 0x5b
	opPUSH4    = 0x63
	opDUP1     = 0x80
	opSWAP16   = 0x9f
)

// dispatchedDeclarations returns the places of a contract's functions by signature, as far as the
// artifact leads to them and the text there agrees.
func (s *state) dispatchedDeclarations(c *artifact.Contract) map[string]sdk.Location {
	entries := readDispatcher(c.Runtime)
	found := make(map[string]sdk.Location, len(c.MethodIDs))
	for signature, id := range c.MethodIDs {
		digits, err := hex.DecodeString(id)
		if err != nil || len(digits) != 4 {
			continue
		}
		entry, ok := entries[[4]byte(digits)]
		if !ok {
			continue
		}
		i, ok := c.Instruction(entry)
		if !ok || i >= len(c.SourceMap) {
			continue
		}
		span := c.SourceMap[i]
		path, ok := c.Sources[span.Source]
		if !ok {
			continue
		}
		if location, ok := s.checkDeclaration(path, span, signature); ok {
			found[signature] = location
		}
	}
	return found
}

// readDispatcher reads which selector jumps to which entry: PUSH4 selector, perhaps DUP or
// SWAP, EQ, PUSH entry, JUMPI. A selector with leading zeros is pushed in fewer bytes.
// The first jump of a selector counts, since the dispatcher precedes all functions.
func readDispatcher(code []byte) map[[4]byte]int {
	entries := map[[4]byte]int{}
	for pc := 0; pc < len(code); {
		op := code[pc]
		size := artifact.PushSize(op)
		next := pc + 1 + size
		if size > 0 && op <= opPUSH4 && next <= len(code) {
			var selector [4]byte
			copy(selector[4-size:], code[pc+1:next])
			if entry, ok := readJump(code, next); ok {
				if _, known := entries[selector]; !known {
					entries[selector] = entry
				}
			}
		}
		pc = next
	}
	return entries
}

// readJump reads the comparison and the jump after a selector.
func readJump(code []byte, pc int) (entry int, ok bool) {
	if pc < len(code) && code[pc] >= opDUP1 && code[pc] <= opSWAP16 {
		pc++
	}
	if pc+1 >= len(code) || code[pc] != opEQ {
		return 0, false
	}
	pc++
	size := artifact.PushSize(code[pc])
	stop := pc + 1 + size
	if size == 0 || size > 3 || stop >= len(code) || code[stop] != opJUMPI {
		return 0, false
	}
	for _, b := range code[pc+1 : stop] {
		entry = entry<<8 | int(b)
	}
	return entry, entry < len(code) && code[entry] == opJUMPDEST
}
