package coverage

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
)

// Range is some lines, from 1, the last one included.
type Range struct{ First, Last int }

// maxEdits is how many lines may have been added and removed for the longest common
// subsequence to be found: the time grows with their number times that of the lines,
// and the memory, some 4 MB then, with its square. Who rewrote more than that gets the
// lines that occur once on both sides.
const maxEdits = 1000

// HashLines hashes the lines of a text, without their ends, which are \n or \r\n. What
// follows the last end is a line if there is anything.
func HashLines(text []byte) []uint32 {
	if len(text) == 0 {
		return nil
	}
	lines := make([]uint32, 0, bytes.Count(text, []byte{'\n'})+1)
	for len(text) > 0 {
		line, rest, ended := bytes.Cut(text, []byte{'\n'})
		if ended {
			line = bytes.TrimSuffix(line, []byte{'\r'})
		}
		lines, text = append(lines, hashLine(line)), rest
	}
	return lines
}

// hashLine is FNV-1a of 64 bits, folded: what is kept must mean the same tomorrow, so
// no hash with a seed will do.
func hashLine(line []byte) uint32 {
	h := uint64(14695981039346656037)
	for _, b := range line {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return uint32(h>>32) ^ uint32(h)
}

// Map finds the lines of one text in an earlier one: element i is the line, from 1,
// that line i+1 of now was, or 0 for one that was written since. Only lines of which
// the text is the same are mapped, in their order, so that it is exact; one that was
// moved past others is not mapped. As many as possible are, unless very much changed.
func Map(before, now []uint32) []int {
	m := make([]int, len(now))
	first := 0
	for first < len(before) && first < len(now) && before[first] == now[first] {
		m[first] = first + 1
		first++
	}
	b, n := len(before), len(now)
	for b > first && n > first && before[b-1] == now[n-1] {
		m[n-1] = b
		b, n = b-1, n-1
	}
	pairs, ok := longest(before[first:b], now[first:n])
	if !ok {
		pairs = unique(before[first:b], now[first:n])
	}
	for _, p := range pairs {
		m[first+p.now] = first + p.before + 1
	}
	return m
}

// pair is a line of which the text is on both sides, from 0.
type pair struct{ before, now int }

// longest finds the longest common subsequence: E. Myers, "An O(ND) Difference
// Algorithm and Its Variations", 1986, the greedy one. ok is false where there are
// more than maxEdits differences.
func longest(before, now []uint32) (pairs []pair, ok bool) {
	if len(before) == 0 || len(now) == 0 {
		return nil, true
	}
	limit := min(len(before)+len(now), maxEdits)
	if abs(len(before)-len(now)) > limit {
		return nil, false
	}
	// far[k+limit+1] is how far one gets in before on the diagonal before-now = k, and
	// trail[d] what it was on the diagonals -d to d when d differences were made.
	far := make([]int32, 2*limit+3)
	var trail [][]int32
	for d := 0; d <= limit; d++ {
		for k := -d; k <= d; k += 2 {
			at := k + limit + 1
			x := far[at-1] + 1
			if k == -d || k != d && far[at-1] < far[at+1] {
				x = far[at+1]
			}
			if d == 0 {
				x = 0
			}
			for int(x) < len(before) && int(x)-k < len(now) && before[x] == now[int(x)-k] {
				x++
			}
			if far[at] = x; int(x) >= len(before) && int(x)-k >= len(now) {
				return retrace(trail, len(before), len(now)), true
			}
		}
		trail = append(trail, slices.Clone(far[limit+1-d:limit+2+d]))
	}
	return nil, false
}

// retrace goes the way back from the ends: the steps on a diagonal are the pairs.
func retrace(trail [][]int32, x, y int) []pair {
	var pairs []pair
	for d := len(trail); ; d-- {
		px, py := 0, 0
		if d > 0 {
			far := trail[d-1] // of the diagonals -(d-1) to d-1
			on := func(k int) int32 {
				if k < -(d-1) || k > d-1 {
					return -1
				}
				return far[k+d-1]
			}
			k := x - y
			down := k == -d || k != d && on(k-1) < on(k+1)
			if down {
				px = int(on(k + 1))
				py = px - (k + 1)
			} else {
				px = int(on(k - 1))
				py = px - (k - 1)
			}
		}
		for x > px && y > py {
			x, y = x-1, y-1
			pairs = append(pairs, pair{x, y})
		}
		if d == 0 {
			return pairs
		}
		x, y = px, py
	}
}

// unique pairs lines that occur once on both sides, as many of them as are in the same
// order on both.
func unique(before, now []uint32) []pair {
	type place struct{ before, now, count int }
	places := map[uint32]place{}
	for i, h := range before {
		p := places[h]
		places[h] = place{i, -1, p.count + 1}
	}
	for i, h := range now {
		if p, ok := places[h]; ok {
			if p.now >= 0 {
				p.count = 2
			}
			p.now = i
			places[h] = p
		}
	}
	var pairs []pair
	for _, p := range places {
		if p.count == 1 && p.now >= 0 {
			pairs = append(pairs, pair{p.before, p.now})
		}
	}
	slices.SortFunc(pairs, func(a, b pair) int { return cmp.Compare(a.now, b.now) })
	return increasing(pairs)
}

// increasing returns a longest part of the pairs in which before grows, by patience
// sorting: tops has the pair with the least before that ends one of each length.
func increasing(pairs []pair) []pair {
	var tops []int
	prev := make([]int, len(pairs))
	for i, p := range pairs {
		at := sort.Search(len(tops), func(n int) bool { return pairs[tops[n]].before >= p.before })
		prev[i] = -1
		if at > 0 {
			prev[i] = tops[at-1]
		}
		if at == len(tops) {
			tops = append(tops, i)
		} else {
			tops[at] = i
		}
	}
	if len(tops) == 0 {
		return nil
	}
	var found []pair
	for i := tops[len(tops)-1]; i >= 0; i = prev[i] {
		found = append(found, pairs[i])
	}
	return found
}

func abs(n int) int { return max(n, -n) }
