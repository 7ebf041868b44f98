package document

import (
	"strings"
	"testing"
)

func TestATextForPeopleIsOneShortPlainLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "",
		"Foundry (forge test) é 日本": "",
		"👩‍👩‍👧":                     "", // joined by a format character
		strings.Repeat("a", 20):     "",
		strings.Repeat("a", 51):     "has 51 bytes; the limit is 50",
		"\xff":                      "is not UTF-8",
		"a\nb":                      "has control characters",
		"a\x1b[2J":                  "has control characters",
		"a\u009bb":                  "has control characters",
		"a\u202eb":                  "has control characters",
		"a\u2028b":                  "has control characters",
	} {
		if got := TextFault(text, 50); got != want && (want == "" || !strings.HasPrefix(got, want)) {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestADocumentIsWrittenForPeopleToo(t *testing.T) {
	got := string(Write(map[string]string{"b": "~> 1 & <2", "a": "é"}))
	if want := "{\n  \"a\": \"é\",\n  \"b\": \"~> 1 & <2\"\n}\n"; got != want {
		t.Errorf("%s", got)
	}
}

func TestPathsQuoteWhatIsNoPlainKey(t *testing.T) {
	if got, want := Path("a", "b c", "0.1", "", "\x1b", strings.Repeat("x", 99)), `a."b c"."0.1".""."\x1b"."`+strings.Repeat("x", 60)+`..."`; got != want {
		t.Errorf("%s", got)
	}
}
