package cheats

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"

	"golang.org/x/crypto/sha3"
)

// Book knows the cheat codes to look for. It is not for concurrent use with Learn.
type Book struct {
	// calls are by selector; shifted are by selectors without the zero bits at their
	// ends, as the optimizer writes them: PUSH3 0x461bcd, PUSH1 0xe5, SHL.
	calls, shifted map[uint32]call
	// first has the upper halves of all selectors, to be quick on the rest.
	first    [1 << 16 / 64]uint64
	harmless map[string]bool
	// known are the signatures that were learned or are part of the book.
	known map[string]bool
}

type call struct{ verb, signature string }

// NewBook returns a book of the published cheat codes.
func NewBook() *Book {
	b := &Book{calls: map[uint32]call{}, shifted: map[uint32]call{}, harmless: harmlessNames(), known: map[string]bool{}}
	for _, r := range beyond() {
		for signature := range strings.FieldsSeq(r.signatures) {
			b.add(call{r.verb, signature})
		}
	}
	return b
}

func (b *Book) add(c call) {
	if b.known[c.signature] {
		return
	}
	b.known[c.signature] = true
	s := selector(c.signature)
	b.calls[s] = c
	b.shifted[s>>bits.TrailingZeros32(s)] = c
	b.first[s>>16/64] |= 1 << (s >> 16 % 64)
}

// selector is the beginning of the hash by which a function is called.
func selector(signature string) uint32 {
	hash := sha3.NewLegacyKeccak256()
	hash.Write([]byte(signature))
	return binary.BigEndian.Uint32(hash.Sum(nil))
}

// landmarks are signatures of cheat codes that nothing else has together.
const landmarks = `warp(uint256) roll(uint256) prank(address) startPrank(address) expectRevert(bytes) etch(address,bytes)
	store(address,bytes32,bytes32) ffi(string[]) assume(bool) expectEmit(bool,bool,bool,bool)`

// Learn takes the functions of a contract or an interface. Where they are cheat
// codes, those that the book does not have are looked for too: what a later forge
// has added may reach anywhere. It reports whether it learned any.
func (b *Book) Learn(signatures []string) bool {
	if !slices.ContainsFunc(strings.Fields(landmarks), func(l string) bool { return slices.Contains(signatures, l) }) {
		return false
	}
	before := len(b.known)
	for _, signature := range signatures {
		name, _, _ := strings.Cut(signature, "(")
		if !b.harmless[name] {
			b.add(call{"calls a cheat code that is not known here", signature})
		}
	}
	return len(b.known) > before
}

// Beyond tells how code reaches beyond: sentences such as "reads or writes files:
// readFile(string)", sorted. The code may hold the code of other contracts. That of
// a call is found wherever it stands, so that there may be a false alarm, and
// nothing is overlooked that calls by a constant.
func (b *Book) Beyond(code []byte) []string {
	found := map[call]bool{}
	for i := 0; i+4 <= len(code); i++ {
		word := binary.BigEndian.Uint32(code[i:])
		if b.first[word>>16/64]>>(word>>16%64)&1 == 1 {
			if c, ok := b.calls[word]; ok {
				found[c] = true
			}
		}
		if value, ok := pushed(code[i:]); ok {
			if c, ok := b.shifted[value]; ok {
				found[c] = true
			}
		}
	}
	byVerb := map[string][]string{}
	for c := range found {
		byVerb[c.verb] = append(byVerb[c.verb], c.signature)
	}
	var sentences []string
	for verb, signatures := range byVerb {
		slices.Sort(signatures)
		sentences = append(sentences, verb+": "+strings.Join(signatures, ", "))
	}
	slices.Sort(sentences)
	return sentences
}

// pushed is the value of a PUSH2 to PUSH4 at the beginning of code, without the zero
// bits at its end. Shorter ones hold no selector.
func pushed(code []byte) (uint32, bool) {
	const push2, push4 = 0x61, 0x63
	if code[0] < push2 || code[0] > push4 || len(code) < int(code[0]-push2)+3 {
		return 0, false
	}
	value := uint32(0)
	for _, digit := range code[1 : int(code[0]-push2)+3] {
		value = value<<8 | uint32(digit)
	}
	return value >> min(bits.TrailingZeros32(value), 31), value != 0
}
