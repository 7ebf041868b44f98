package linediff

import (
	"cmp"
	"slices"
	"sort"
)

// maxEdits is the most added and removed lines for which the longest common subsequence
// is computed: time grows with their number times that of the lines, and memory, 4 MB
// at the limit, with its square. Beyond it, only lines that are unique on both sides
// are matched.
const maxEdits = 1000

// Map finds the lines of one text in an earlier one: line i+1 of now was line m[i] of
// before, counted from 1, or 0 if it was written since. It maps only identical lines in
// order, not lines that were moved past others; and as many as possible, unless very
// much changed.
func Map[L comparable](before, now []L) []int {
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
	pairs, ok := findLongest(before[first:b], now[first:n])
	if !ok {
		pairs = findUnique(before[first:b], now[first:n])
	}
	for _, p := range pairs {
		m[first+p.now] = first + p.before + 1
	}
	return m
}

// pair is a line with the same text on both sides, from 0.
type pair struct{ before, now int }

// findLongest finds the longest common subsequence with the greedy algorithm of E. Myers,
// "An O(ND) Difference Algorithm and Its Variations", 1986. ok is false if there are
// more than maxEdits differences.
func findLongest[L comparable](before, now []L) (pairs []pair, ok bool) {
	if len(before) == 0 || len(now) == 0 {
		return nil, true
	}
	limit := min(len(before)+len(now), maxEdits)
	if abs(len(before)-len(now)) > limit {
		return nil, false
	}
	// far[k+limit+1] is how far in before the path on diagonal before-now = k reaches,
	// and trail[d] is what it was on the diagonals -d to d after d differences.
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

// retrace follows the path back from the ends: its diagonal steps are the pairs.
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

// findUnique pairs lines that are unique on both sides, as many as are in the same order.
func findUnique[L comparable](before, now []L) []pair {
	type place struct{ before, now, count int }
	places := map[L]place{}
	for i, line := range before {
		p := places[line]
		places[line] = place{i, -1, p.count + 1}
	}
	for i, line := range now {
		if p, ok := places[line]; ok {
			if p.now >= 0 {
				p.count = 2
			}
			p.now = i
			places[line] = p
		}
	}
	var pairs []pair
	for _, p := range places {
		if p.count == 1 && p.now >= 0 {
			pairs = append(pairs, pair{p.before, p.now})
		}
	}
	slices.SortFunc(pairs, func(a, b pair) int { return cmp.Compare(a.now, b.now) })
	return findIncreasing(pairs)
}

// findIncreasing returns a longest subsequence of pairs with increasing before, by patience
// sorting: tops has the pair with the least before that ends one of each length.
func findIncreasing(pairs []pair) []pair {
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
