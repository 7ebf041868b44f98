package query

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/project"
)

func TestPagesOfAStreamAddUpToIt(t *testing.T) {
	root := t.TempDir()
	k := ledger.New(project.Config{Session: "s"})
	first, second := strings.Repeat("äöü€𝄞 out\n", 50), strings.Repeat("zweitens ß\n", 30)
	recordedAs(t, k, root, "toy", nil, first, "eins\n", second, "zwei\n")
	here := api.LastRun{Where: api.Where{Dir: root, Exact: true}}
	for stream, want := range map[api.Stream]string{api.Stdout: first + second, api.Stderr: "eins\nzwei\n", api.BothStreams: first + second + "eins\nzwei\n"} {
		for _, most := range []int{1, 5, 64, 1000, 1 << 20} {
			got := ""
			for offset, pages := int64(0), 0; ; pages++ {
				page, err := StreamPage(t.Context(), k, here, stream, offset, most)
				if err != nil || page.Unrecorded || page.Total != int64(len(want)) || page.Offset != offset || pages > len(want) {
					t.Fatalf("%s by %d: %+v, %v", stream, most, page, err)
				}
				if !utf8.ValidString(page.Text) || len(page.Text) > max(most, utf8.UTFMax) {
					t.Fatalf("%s by %d: %q", stream, most, page.Text)
				}
				got += page.Text
				if offset = page.Next(); offset == 0 {
					break
				}
			}
			if got != want {
				t.Errorf("%s by %d: got %d bytes of %d", stream, most, len(got), len(want))
			}
		}
	}
	page, err := StreamPage(t.Context(), k, here, api.BothStreams, -7, 100)
	if err != nil || page.Text != "s\nzwei\n" || page.Next() != 0 || page.StderrAt != int64(len(first+second)) {
		t.Errorf("from the end: %+v, %v", page, err)
	}
	if page, err := StreamPage(t.Context(), k, here, api.Stdout, 1<<40, 100); err != nil || page.Text != "" || page.Next() != 0 {
		t.Errorf("beyond the end: %+v, %v", page, err)
	}
}

func TestAPageNeverSplitsACharacter(t *testing.T) {
	for _, tc := range []struct {
		text   string
		offset int64
		most   int
		start  int64
		want   string
	}{
		{"aä€𝄞z", 0, 4, 0, "aä"},
		{"aä€𝄞z", 2, 4, 3, "€"},
		{"aä€𝄞z", -1, 4, 10, "z"},
		{"aä€𝄞z", -3, 4, 10, "z"},
		{"aä€𝄞z", -100, 4, 0, "aä"},
		{"\x80\x80\x80\x80\x80\x80", 1, 4, 4, "\x80"}, // not UTF-8 at all
		{"ab\xf0\x9d", 0, 100, 0, "ab\xf0\x9d"},       // the end of the output
		{"", 0, 4, 0, ""},
	} {
		if start, got := CutPage(tc.text, tc.offset, tc.most); start != tc.start || got != tc.want {
			t.Errorf("%q from %d, %d bytes: %d %q, want %d %q", tc.text, tc.offset, tc.most, start, got, tc.start, tc.want)
		}
	}
}
