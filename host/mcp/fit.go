package mcp

import (
	"sort"

	"github.com/proctorhq/proctor/host/prose"
)

// maxAnswerBytes is how much text an answer has at the most, and how long its
// object is: more than a model wants to read at once.
const maxAnswerBytes = 64 << 10

// fitted is the answer with the most entries, least to most of them, that is within
// the bound in both its forms. build makes the answer with so many; it has to say
// what it leaves out.
func fitted(bound, least, most int, build func(n int) answer) answer {
	a := build(most)
	if a.within(bound) {
		return a
	}
	over := sort.Search(most-least, func(i int) bool { return !build(least + i).within(bound) })
	return build(least + max(over-1, 0))
}

// within reports whether neither form of an answer is longer than so many bytes.
func (a answer) within(bound int) bool {
	text := 0
	for _, block := range a.text {
		text += len(block)
	}
	object, err := prose.JSON(a.object)
	return text <= bound && (err != nil || len(object) <= bound)
}
