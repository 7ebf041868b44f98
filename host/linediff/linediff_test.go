package linediff_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/proctorhq/proctor/host/linediff"
	"github.com/proctorhq/proctor/internal/property"
)

func TestLinesAreMappedThroughEdits(t *testing.T) {
	for _, tc := range []struct {
		name, before, now string
		want              []int
	}{
		{"nothing changed", "a b c", "a b c", []int{1, 2, 3}},
		{"nothing before", "", "a b", []int{0, 0}},
		{"nothing now", "a b", "", []int{}},
		{"put in front", "a b", "x y a b", []int{0, 0, 1, 2}},
		{"put between", "a b", "a x b", []int{1, 0, 2}},
		{"put behind", "a b", "a b x", []int{1, 2, 0}},
		{"removed", "a b c d", "a d", []int{1, 4}},
		{"replaced", "a b c", "a x c", []int{1, 0, 3}},
		{"two places", "a b c d e", "a x c d y e", []int{1, 0, 3, 4, 0, 5}},
		{"a moved block is written anew", "m n a b c d", "a b c d m n", []int{3, 4, 5, 6, 0, 0}},
		{"all of it", "a b", "x y", []int{0, 0}},
	} {
		if got := linediff.Map(strings.Fields(tc.before), strings.Fields(tc.now)); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
	}
}

// lcs returns the length of the longest common subsequence by the textbook table.
func lcs(a, b []uint32) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			above := row[j+1]
			if x == y {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return row[len(b)]
}

// checkMapping checks that a mapping is exact and returns how many lines it maps.
func checkMapping(t interface{ Fatalf(string, ...any) }, before, now []uint32, m []int) int {
	if len(m) != len(now) {
		t.Fatalf("%d elements for %d lines", len(m), len(now))
	}
	last, mapped := 0, 0
	for i, line := range m {
		if line == 0 {
			continue
		}
		if line <= last || line > len(before) || before[line-1] != now[i] {
			t.Fatalf("line %d is mapped to %d after %d", i+1, line, last)
		}
		last = line
		mapped++
	}
	return mapped
}

func TestAMappingIsALongestCommonSubsequence(t *testing.T) {
	line := rapid.Uint32Range(0, 5)
	property.Check(t, func(t *rapid.T) {
		before := rapid.SliceOfN(line, 0, 30).Draw(t, "before")
		now := rapid.SliceOfN(line, 0, 30).Draw(t, "now")
		mapped := checkMapping(t, before, now, linediff.Map(before, now))
		if want := lcs(before, now); mapped != want {
			t.Fatalf("%d lines are mapped, and %d could be", mapped, want)
		}
	})
}

func TestALargeFileWithFewEditsIsMapped(t *testing.T) {
	const lines = 50_000
	before := make([]uint32, lines)
	for i := range before {
		before[i] = uint32(i % 5000) // repeated lines, like braces
	}
	now := slices.Clone(before)
	for i := 100; i < lines; i += 500 {
		now[i] = uint32(1_000_000 + i)
	}
	now = slices.Insert(now, 20_000, 7_000_001, 7_000_002)
	if mapped := checkMapping(t, before, now, linediff.Map(before, now)); mapped != lines-100 {
		t.Errorf("%d of %d lines are mapped", mapped, lines)
	}
}

func TestARewrittenFileIsMappedByTheLinesThatOccurOnce(t *testing.T) {
	var before, now []uint32
	for i := range uint32(5000) {
		before = append(before, 10+i, 1)
		now = append(now, 100_000+i, 2)
		if i%10 == 0 {
			now = append(now, 10+i)
		}
	}
	if mapped := checkMapping(t, before, now, linediff.Map(before, now)); mapped != 500 {
		t.Errorf("%d of 500 lines are mapped", mapped)
	}
}

func BenchmarkMap(b *testing.B) {
	for _, edits := range []int{10, 400} {
		before := make([]uint32, 50_000)
		for i := range before {
			before[i] = uint32(i)
		}
		now := slices.Clone(before)
		for i := range edits {
			now[i*len(now)/edits] = uint32(1_000_000 + i)
		}
		b.Run(fmt.Sprint(edits, " edits"), func(b *testing.B) {
			for b.Loop() {
				linediff.Map(before, now)
			}
		})
	}
}
