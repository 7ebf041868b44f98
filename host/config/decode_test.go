package config

import (
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func FuzzDecodeGivesSettingsWithinBoundsOrAnErrorWithALine(f *testing.F) {
	for _, seed := range []string{
		"[history]\nruns = 5\ndays = 7\nsize = \"20MiB\"\nentries = 9\n", "history = { runs = 5, x = {y = [1]} }",
		"history.runs.x = 1", "[[history]]\n[history.x]", "[histroy]\n\"a\\u001b\" = 1979-05-27T07:32:00Z", "a = \"\"\"\n\\x\"\"\"", "\ufeff[history]\nsize=1",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		config := Default()
		err := decode(&config, projects, FileName, data)
		if err == nil {
			h := config.History
			if h.Runs < 1 || h.Runs > 1_000_000 || h.Age < day || h.Age > 36_500*day || h.Bytes < megabyte || h.Bytes > 1000*gigabyte || h.Entries < 1 || h.Entries > 1_000_000 {
				t.Fatalf("out of bounds: %+v", h)
			}
			return
		}
		var e *Error
		if !errors.As(err, &e) {
			t.Fatalf("%T", err)
		}
		if lines := strings.Count(string(data), "\n") + 1; e.Line < 1 || e.Line > lines {
			t.Errorf("line %d of %d: %v", e.Line, lines, e)
		}
		if text := e.Error(); !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) || len(text) > 2000 {
			t.Errorf("unfit for a terminal: %q", text)
		}
	})
}

func TestEveryNameIsItsOwnNearest(t *testing.T) {
	run := new(reader).runTable(func(c *Config) *Runs { return &c.Run.Project }, "")
	for _, table := range append(tables(), run) {
		names := append(table.names(), table.name[0])
		for _, name := range names {
			if got := meant(name, names); got != "did you mean `"+name+"`?" {
				t.Errorf("%s: %s", name, got)
			}
		}
	}
}
