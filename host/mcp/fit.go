package mcp

import (
	"sort"

	"github.com/proctorhq/proctor/host/prose"
)

// maxAnswerBytes bounds the text of an answer, and its object: more than a model wants
// to read at once.
const maxAnswerBytes = 64 << 10

// fitAnswer returns the answer with the most entries, between least and most, that is
// within the bound in both forms. build makes the answer with n entries, and says what
// it omits.
func fitAnswer(bound, least, most int, build func(n int) answer) answer {
	a := build(most)
	if a.fitsIn(bound) {
		return a
	}
	over := sort.Search(most-least, func(i int) bool { return !build(least + i).fitsIn(bound) })
	return build(least + max(over-1, 0))
}

// fitsIn reports whether neither form of an answer exceeds the bound.
func (a answer) fitsIn(bound int) bool {
	text := 0
	for _, block := range a.text {
		text += len(block)
	}
	object, err := prose.JSON(a.object)
	return text <= bound && (err != nil || len(object) <= bound)
}
