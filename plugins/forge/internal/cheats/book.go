package cheats

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"

	"golang.org/x/crypto/sha3"
)

// Book knows the cheat codes to look for. Learn must not run concurrently with other
// methods.
type Book struct {
	// calls are by selector; shifted are by selectors without trailing zero bits, as
	// the optimizer writes them: PUSH3 0x461bcd, PUSH1 0xe5, SHL.
	calls, shifted map[uint32]call
	// first has the upper halves of all selectors, for a fast rejection.
	first    [1 << 16 / 64]uint64
	harmless map[string]bool
	// known are the signatures learned or built in.
	known map[string]bool
}

type call struct{ verb, signature string }

// NewBook returns a book of the published cheat codes.
func NewBook() *Book {
	b := &Book{calls: map[uint32]call{}, shifted: map[uint32]call{}, harmless: harmlessNames(), known: map[string]bool{}}
	for _, r := range reachesBeyond() {
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
	s := selectorOf(c.signature)
	b.calls[s] = c
	b.shifted[s>>bits.TrailingZeros32(s)] = c
	b.first[s>>16/64] |= 1 << (s >> 16 % 64)
}

// selectorOf returns the beginning of the hash by which a function is called.
func selectorOf(signature string) uint32 {
	hash := sha3.NewLegacyKeccak256()
	hash.Write([]byte(signature))
	return binary.BigEndian.Uint32(hash.Sum(nil))
}

// landmarks are signatures of cheat codes that nothing else has together.
const landmarks = `warp(uint256) roll(uint256) prank(address) startPrank(address) expectRevert(bytes) etch(address,bytes)
	store(address,bytes32,bytes32) ffi(string[]) assume(bool) expectEmit(bool,bool,bool,bool)`

// Learn adds the functions of a contract or interface. If they are cheat codes, unknown
// ones are looked for, too: what a later forge has added may reach anywhere. It reports
// whether it learned any.
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

// Beyond says how code reaches beyond its sources, in sorted sentences such as "reads
// or writes files: readFile(string)". The code may contain that of other contracts. A
// call is found anywhere, so there may be false alarms, but no call by a constant is
// missed.
func (b *Book) Beyond(code []byte) []string {
	found := map[call]bool{}
	for i := 0; i+4 <= len(code); i++ {
		word := binary.BigEndian.Uint32(code[i:])
		if b.first[word>>16/64]>>(word>>16%64)&1 == 1 {
			if c, ok := b.calls[word]; ok {
				found[c] = true
			}
		}
		if value, ok := pushedValue(code[i:]); ok {
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

// pushedValue returns the value of a PUSH2 to PUSH4 at the beginning of code, without
// trailing zero bits. Shorter ones hold no selector.
func pushedValue(code []byte) (uint32, bool) {
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
