package fit_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/proctorhq/proctor/sdk/internal/fit"
)

func TestTextThatFitsIsUnchanged(t *testing.T) {
	for _, s := range []string{"", "plain", "日本語", "\x00\x1b[31m"} {
		if got, cut := fit.Cut(s, 100); got != s || cut {
			t.Errorf("Cut(%q) = %q, %v", s, got, cut)
		}
	}
}

func TestBrokenUTF8IsRepaired(t *testing.T) {
	if got := fit.Text("a\xffb", 100); got != "a\uFFFDb" {
		t.Errorf("got %q", got)
	}
}

func TestLongTextIsTruncatedAndMarked(t *testing.T) {
	got, cut := fit.Cut(strings.Repeat("ä", 100), 50)
	if !cut || !strings.HasSuffix(got, "ä\n"+fit.TruncationMark) {
		t.Errorf("got %q, %v", got, cut)
	}
}

func TestLongNamesStayDistinct(t *testing.T) {
	long := strings.Repeat("x", fit.MaxName)
	a, b := fit.Name(long+"a"), fit.Name(long+"b")
	if a == b {
		t.Errorf("two names became one: %q", a)
	}
	for _, name := range []string{a, b} {
		if len(name) > fit.MaxName || !strings.Contains(name, fit.TruncationMark) {
			t.Errorf("a name of %d bytes: %.20q…%q", len(name), name, name[len(name)-40:])
		}
	}
	if short := strings.Repeat("x", fit.MaxName); fit.Name(short) != short {
		t.Error("a name of the limit was changed")
	}
}

func TestFittingListsAreNotCopied(t *testing.T) {
	args := []string{"a", "b"}
	if got := fit.Args(args); &got[0] != &args[0] {
		t.Error("copied without need")
	}
	broken := []string{"a", "\xff", "c"}
	if got := fit.Args(broken); got[1] != "\uFFFD" || broken[1] != "\xff" || got[2] != "c" {
		t.Errorf("got %q from %q", got, broken)
	}
}

func TestEnvironmentIsRepaired(t *testing.T) {
	got := fit.Env(map[string]string{"A\xff": "1", "B": "\xff"})
	if len(got) != 2 || got["A\uFFFD"] != "1" || got["B"] != "\uFFFD" {
		t.Errorf("got %q", got)
	}
}

func FuzzTextIsValidAndBounded(f *testing.F) {
	f.Add("some text", 20)
	f.Add(strings.Repeat("\xff", 100), 30)
	f.Add(strings.Repeat("a\xff", 100), 30)
	f.Add("日本語日本語日本語", 21)
	f.Add(strings.Repeat("\x80", 100), 50)
	f.Fuzz(func(t *testing.T, s string, limit int) {
		limit = 20 + limit&1023
		got, cut := fit.Cut(s, limit)
		if !utf8.ValidString(got) || len(got) > limit {
			t.Fatalf("Cut(%q, %d) = %q of %d bytes", s, limit, got, len(got))
		}
		if cut != strings.HasSuffix(got, fit.TruncationMark) && !strings.Contains(s, fit.TruncationMark) {
			t.Fatalf("Cut(%q, %d) = %q, %v", s, limit, got, cut)
		}
		if !cut && got != strings.ToValidUTF8(s, "\uFFFD") {
			t.Fatalf("Cut(%q, %d) = %q lost something without saying so", s, limit, got)
		}
		if name := fit.Name(s + strings.Repeat("\xffx", limit*10)); !utf8.ValidString(name) || len(name) > fit.MaxName {
			t.Fatalf("a name of %d bytes, valid %v", len(name), utf8.ValidString(name))
		}
	})
}
