package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/internal/testfiles"
)

func TestAWorkspaceWithoutAFileHasTheDefaults(t *testing.T) {
	got, err := Load(t.TempDir(), "")
	want := Config{History: History{Runs: 1000, Age: 30 * day, Bytes: 1_000_000_000, Entries: 1000}, Session: Session{Idle: 4 * time.Hour}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}

func TestTheFileSetsHowMuchIsKept(t *testing.T) {
	all := History{Runs: 5, Age: 7 * day, Bytes: 20 << 20, Entries: 9}
	for _, test := range []struct {
		name, text string
		want       History
	}{
		{"a table", "[history]\nruns = 5\ndays = 7\nsize = \"20MiB\"\nentries = 9\n", all},
		{"an inline table", `history = { runs = 5, days = 7, size = "20 MiB", entries = 9 }`, all},
		{"dotted keys", "history.runs = 5\nhistory.days = 7\nhistory.size = 20971520\nhistory.entries = 9", all},
		{"other line ends, comments", "# x\r\n[ history ] # y\r\n\"runs\" = 0x5\r\ndays = 7\r\nsize = '20480KiB'\r\nentries = 9\r\n", all},
		{"a byte order mark", "\ufeff[history]\nruns = 5\ndays = 7\nsize = 20_971_520\nentries = 9\n", all},
		{"one key", "[history]\nruns = 5\n", with(func(h *History) { h.Runs = 5 })},
		{"nothing", "", with(nil)},
		{"an empty table", "[history]\n", with(nil)},
		{"decimal units", "[history]\nsize = \"3GB\"", with(func(h *History) { h.Bytes = 3_000_000_000 })},
		{"the least", "[history]\nruns = 1\ndays = 1\nsize = \"1000KB\"\nentries = 1", History{Runs: 1, Age: day, Bytes: 1_000_000, Entries: 1}},
		{"the most", "[history]\nruns = 1000000\ndays = 36500\nsize = \"1000GB\"\nentries = 1000000",
			History{Runs: 1_000_000, Age: 36_500 * day, Bytes: 1_000_000_000_000, Entries: 1_000_000}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := Load(workspace(t, test.text), "")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got.History); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAnErrorNamesItsPlaceInTheFile(t *testing.T) {
	const size = `a number of bytes, or one with KB, MB, GB, KiB, MiB or GiB in quotes, such as "500MB": from 1MB to 1000GB`
	for _, test := range []struct {
		name, text string
		line       int
		key        string
		says       string
	}{
		{"too few", "[history]\n\nruns = 0\n", 3, "history.runs", "history.runs is 0; it must be a whole number from 1 to 1000000"},
		{"negative", "[history]\ndays = -1\n", 2, "history.days", "is -1; it must be a whole number from 1 to 36500"},
		{"too many", "[history]\nentries = 1000001\n", 2, "history.entries", "is 1000001; it must be a whole number from 1 to 1000000"},
		{"more than fits", "[history]\nruns = 99999999999999999999\n", 2, "", "the text is not valid TOML: decimal number is too large"},
		{"a number in quotes", "[history]\nruns = \"5\"\n", 2, "history.runs", `is the text "5"; it must be a whole number`},
		{"a fraction", "[history]\nruns = 1.5\n", 2, "history.runs", "is the fraction 1.5"},
		{"not a number", "[history]\ndays = nan\n", 2, "history.days", "is the fraction NaN"},
		{"a truth", "[history]\nruns = true\n", 2, "history.runs", "is true"},
		{"a list", "[history]\nruns = [1]\n", 2, "history.runs", "is a list"},
		{"a table for a number", "[history.runs]\nx = 1\n", 1, "history.runs", "is a table"},
		{"a date", "[history]\nruns = 2026-01-01\n", 2, "history.runs", "is a date"},
		{"a number for a table", "history = 5\n", 1, "history", "is 5; it must be a table, which begins with [history]"},
		{"a list of tables", "[[history]]\nruns = 1\n", 1, "history", "is a list; it must be a table"},
		{"a small size", "[history]\nsize = \"999KB\"\n", 2, "history.size", `is the text "999KB"; it must be ` + size},
		{"a small number of bytes", "[history]\nsize = 999999\n", 2, "history.size", "is 999999; it must be " + size},
		{"a large size", "[history]\nsize = \"1001GB\"\n", 2, "history.size", "from 1MB to 1000GB"},
		{"a size beyond all numbers", "[history]\nsize = \"9223372036854775807GiB\"\n", 2, "history.size", "it must be"},
		{"a size that begins again from nothing", "[history]\nsize = \"17179869185GiB\"\n", 2, "history.size", "it must be"},
		{"an unknown unit", "[history]\nsize = \"1TB\"\n", 2, "history.size", `"1TB"`},
		{"a unit twice", "[history]\nsize = \"1MBMB\"\n", 2, "history.size", `"1MBMB"`},
		{"a signed size", "[history]\nsize = \"+5MB\"\n", 2, "history.size", `"+5MB"`},
		{"a fraction of a unit", "[history]\nsize = \"1.5GB\"\n", 2, "history.size", `"1.5GB"`},
		{"no unit", "[history]\nsize = \"5000000\"\n", 2, "history.size", `"5000000"`},
		{"only a unit", "[history]\nsize = \"GB\"\n", 2, "history.size", `"GB"`},
		{"a slip", "[history]\nrun = 5\n", 2, "history.run", "history.run is unknown; did you mean `runs`?"},
		{"two slips", "[history]\nday = 5\nenteris = 1\n", 2, "history.day", "did you mean `days`?"},
		{"another case", "[history]\nRuns = 5\n", 2, "history.Runs", "did you mean `runs`?"},
		{"nothing near", "[history]\nkeep = 5\n", 2, "history.keep", "is unknown; known: runs, days, size, entries"},
		{"a slip in a table", "\n[histroy]\nruns = 5\n", 2, "histroy", "histroy is unknown; did you mean `history`?"},
		{"another table", "[plugins]\npath = 'x'\n", 1, "plugins", "plugins is unknown; known: env, history"},
		{"a key outside of its table", "runs = 5\n", 1, "runs", "runs is unknown here; it belongs below [history]"},
		{"in an inline table", "history = {runs = 5,\nday = 1}\n", 2, "history.day", "did you mean `days`?"},
		{"the first of several", "[history]\nruns = 5\nsize = 1\ndays = 0\n[aaa]\n", 3, "history.size", "is 1"},
		{"a dot within a key", "[history]\n\"a.b\" = 1\n", 2, `history."a.b"`, `history."a.b" is unknown`},
		{"an empty key", "[history]\n\"\" = 1\n", 2, `history.""`, "is unknown"},
		{"a key for a terminal", "[history]\n\"\\u001b[2J\" = 1\n", 2, `history."\x1b[2J"`, "is unknown"},
		{"twice", "[history]\nruns = 5\nruns = 6\n", 3, "", "the text is not valid TOML: "},
		{"not TOML", "[history]\nruns 5\n", 2, "", "the text is not valid TOML: "},
		{"not UTF-8", "[history]\n# caf\xe9\n", 2, "", "the text is not valid UTF-8; save it as UTF-8"},
		{"a zero byte", "[history]\nruns = 5\x00\n", 2, "", "the text is not valid TOML: "},
		{"too large", strings.Repeat("#\n", 40<<10), 0, "", "is larger than 64 KiB"},
		{"a long key", "[history]\n" + strings.Repeat("x", 10_000) + " = 1\n", 2, "history." + strings.Repeat("x", 60) + "...", "is unknown"},
		{"a long text", "[history]\nruns = '" + strings.Repeat("\u202e", 10_000) + "'\n", 2, "history.runs", `is the text "\u202e`},
	} {
		t.Run(test.name, func(t *testing.T) {
			root := workspace(t, test.text)
			got, err := Load(root, "")
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("got %+v, %v", got, err)
			}
			if e.Line != test.line || e.Key != test.key || e.File != filepath.Join(root, FileName) {
				t.Errorf("blames %s line %d key %q", e.File, e.Line, e.Key)
			}
			if !strings.Contains(e.Error(), test.says) || !strings.HasPrefix(e.Error(), e.File) || len(e.Error()) > len(root)+600 {
				t.Errorf("says %s\nwant  %s", e, test.says)
			}
			if !cmp.Equal(got, Config{}) {
				t.Errorf("there are settings all the same: %+v", got)
			}
		})
	}
}

func TestOnlyAFileOfTheWorkspaceItselfIsRead(t *testing.T) {
	t.Run("a directory", func(t *testing.T) {
		root := t.TempDir()
		if err := os.Mkdir(filepath.Join(root, FileName), 0o700); err != nil {
			t.Fatal(err)
		}
		refuse(t, root, "is not a regular file")
	})
	for _, target := range []string{"there.toml", "missing.toml"} {
		t.Run("a link to "+target, func(t *testing.T) {
			root := t.TempDir()
			if err := os.WriteFile(filepath.Join(root, "there.toml"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(target, filepath.Join(root, FileName)); err != nil {
				t.Skip("this system lets nobody make a link:", err)
			}
			refuse(t, root, "is a symbolic link, which is not followed")
		})
	}
	t.Run("below a file", func(t *testing.T) {
		root := workspace(t, "")
		_, err := Load(filepath.Join(root, FileName), "")
		if err == nil {
			t.Skip("this system says that there is no such file")
		}
		refuse(t, filepath.Join(root, FileName), ": it cannot be read: ")
	})
}

func TestAnErrorIsFitForATerminal(t *testing.T) {
	e := &Error{File: "a\x1b[2J/\u202e" + FileName, Line: 3, Reason: "is wrong"}
	if got := e.Error(); got != "a\ufffd[2J/\ufffd.proctor.toml:3: is wrong" {
		t.Errorf("got %q", got)
	}
}

func TestDeepAndManyKeysAreRefused(t *testing.T) {
	for name, text := range hostileFiles() {
		t.Run(name, func(t *testing.T) {
			if _, err := Load(workspace(t, text), ""); err == nil {
				t.Error("is accepted")
			}
		})
	}
}

// BenchmarkLoadOfHostileFiles takes at most a tenth of a second: no step of reading is
// quadratic.
func BenchmarkLoadOfHostileFiles(b *testing.B) {
	for name, text := range hostileFiles() {
		b.Run(name, func(b *testing.B) {
			root := workspace(b, text)
			for b.Loop() {
				Load(root, "")
			}
		})
	}
}

func hostileFiles() map[string]string {
	return map[string]string{
		"dotted": strings.Repeat("a.", 32_000) + "a = 1",
		"header": "[" + strings.Repeat("a.", 32_000) + "a]",
		"many":   manyKeys(),
	}
}

func refuse(t *testing.T, root, says string) {
	t.Helper()
	_, err := Load(root, "")
	if e, ok := errors.AsType[*Error](err); !ok || !strings.Contains(e.Error(), says) {
		t.Errorf("got %v", err)
	}
}

func with(change func(*History)) History {
	h := Default().History
	if change != nil {
		change(&h)
	}
	return h
}

func workspace(t testing.TB, text string) string {
	t.Helper()
	root := t.TempDir()
	testfiles.Write(t, filepath.Join(root, FileName), text)
	return root
}

// manyKeys fills a file with unknown keys.
func manyKeys() string {
	var text strings.Builder
	for text.Len() < 60<<10 {
		text.WriteString(strings.Repeat("k", 1+text.Len()%7))
		fmt.Fprintf(&text, "%d=1\n", text.Len())
	}
	return text.String()
}
