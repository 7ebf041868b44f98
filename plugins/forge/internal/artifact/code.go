package artifact

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// placeholder is the length of `__$…$__` in unlinked code, in hexadecimal digits: that
// of an address.
const placeholder = 40

func parseCode(digits string) ([]byte, error) {
	digits = strings.TrimPrefix(digits, "0x")
	if len(digits) > 2*maxCode {
		return nil, fmt.Errorf("its code has %d bytes; no more than %d are read", len(digits)/2, maxCode)
	}
	if strings.Contains(digits, "_") {
		var b strings.Builder
		for {
			before, _, found := strings.Cut(digits, "__")
			b.WriteString(before)
			if !found {
				break
			}
			b.WriteString(strings.Repeat("0", placeholder))
			digits = digits[min(len(digits), len(before)+placeholder):]
		}
		digits = b.String()
	}
	code, err := hex.DecodeString(digits)
	if err != nil {
		return nil, fmt.Errorf("its code: %w", err)
	}
	return code, nil
}

// instructionStarts returns where instructions begin. Trailing data, such as the metadata
// hash, is read as instructions, too; nothing points there.
func instructionStarts(code []byte) []int32 {
	starts := make([]int32, 0, len(code)*2/3)
	for pc := 0; pc < len(code); pc += 1 + PushSize(code[pc]) {
		starts = append(starts, int32(pc))
	}
	return starts
}

// PushSize returns how many bytes of data follow an opcode: PUSH1 to PUSH32 have some,
// all others none.
func PushSize(op byte) int {
	const push1, push32 = 0x60, 0x7f
	if op < push1 || op > push32 {
		return 0
	}
	return int(op-push1) + 1
}

// Instruction returns the number of the instruction at a program counter, as source
// maps count them. ok is false within the data of a PUSH and after the code.
func (c *Contract) Instruction(pc int) (index int, ok bool) {
	if pc < 0 || pc >= len(c.Runtime) {
		return 0, false
	}
	return slices.BinarySearch(c.starts, int32(pc))
}
