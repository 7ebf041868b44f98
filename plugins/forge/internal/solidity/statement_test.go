package solidity_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/plugins/forge/internal/solidity"
)

func TestStatementsReachToTheirEnds(t *testing.T) {
	source := strings.Join([]string{
		"contract A {",                       // 1
		"    function f(",                    // 2
		"        uint256 a",                  // 3
		"    ) external returns (uint256) {", // 4
		"        g({",                        // 5
		"            x: 1, // ;",             // 6
		"            y: 2",                   // 7
		"        });",                        // 8
		"        for (uint256 i; i < a; i++) { a++; g();", // 9
		"            return",                              // 10
		"                a;",                              // 11
		"        }",                                       // 12
		"    }",                                           // 13
		"    function h() external { a++; }",              // 14
		"}",                                               // 15
	}, "\n")
	got := solidity.Statements([]byte(source), []int{2, 5, 9, 10, 14, 99})
	want := []solidity.Statement{
		{StartLine: 2, StartColumn: 5, EndLine: 4, EndColumn: 35},
		{StartLine: 5, StartColumn: 9, EndLine: 8, EndColumn: 12},
		{StartLine: 9, StartColumn: 9, EndLine: 9, EndColumn: 48},
		{StartLine: 10, StartColumn: 13, EndLine: 11, EndColumn: 19},
		{StartLine: 14, StartColumn: 5, EndLine: 14, EndColumn: 35},
		{StartLine: 99, StartColumn: 1, EndLine: 99, EndColumn: 2},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	// A statement does not include code that begins on the next of the lines.
	if got := solidity.Statements([]byte(source), []int{5, 7}); got[0].EndLine > 6 || got[1].StartLine != 7 {
		t.Errorf("%+v", got)
	}
}

func FuzzStatements(f *testing.F) {
	f.Add([]byte(everything), 3, 7)
	f.Add([]byte("a({\n;"), 1, 2)
	f.Add([]byte(""), 1, 2)
	f.Fuzz(func(t *testing.T, src []byte, first, second int) {
		if first < 1 || second <= first {
			return
		}
		for i, s := range solidity.Statements(src, []int{first, second}) {
			if s.StartLine != []int{first, second}[i] || s.EndLine < s.StartLine || s.StartColumn < 1 || s.EndLine == s.StartLine && s.EndColumn <= s.StartColumn || s.EndColumn < 1 {
				t.Fatalf("%+v of %q", s, src)
			}
			if i == 0 && s.EndLine >= second {
				t.Fatalf("%+v reaches into line %d of %q", s, second, src)
			}
		}
	})
}
