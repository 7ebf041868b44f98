package render

import (
	"strings"
	"testing"
)

func TestALineIsBrokenBetweenWordsAndNeverWithinACommand(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		columns    int
		text, want string
	}{
		"fits":                  {30, "open database: refused", "open database: refused"},
		"too wide":              {24, "open database: connection refused", "open database:\n  connection refused"},
		"indented":              {24, "  open database: connection refused", "  open database:\n    connection refused"},
		"only wide lines":       {24, "a b\nopen database: connection refused\nc d", "a b\nopen database:\n  connection refused\nc d"},
		"a separator ends":      {24, "PASSED  43 tests passed · 2 skipped", "PASSED  43 tests\n  passed · 2 skipped"},
		"a separator stays":     {25, "PASSED  43 tests passed · 2 skipped", "PASSED  43 tests passed ·\n  2 skipped"},
		"a command":             {24, "see what; `proctor rerun --list` lists it", "see what;\n  `proctor rerun --list`\n  lists it"},
		"a lone backtick":       {24, "an odd ` in a long message of a test", "an odd ` in a long\n  message of a test"},
		"a word without an end": {24, "at /a/very/long/path/that/fits/nowhere in it", "at /a/very/long/path/that/fits/nowhere\n  in it"},
		"colors take no room":   {23, "\x1b[33mnote:\x1b[0m what is to be said", "\x1b[33mnote:\x1b[0m what is to be\n  said"},
		"not a terminal":        {0, strings.Repeat("word ", 40), strings.Repeat("word ", 40)},
	} {
		got := Style{Columns: c.columns}.Fold(c.text)
		if got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
	}
}
