package prose_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"testing"

	"github.com/proctorhq/proctor/host/prose"
)

func TestJSONEscapesWhatWouldActOnATerminal(t *testing.T) {
	for text, want := range map[string]string{
		"plain <&> text":     `"plain <&> text"`,
		"grüße, 世界 🎉":        `"grüße, 世界 🎉"`,
		"\u009b31m":          `"\u009b31m"`,
		"del\x7f":            `"del\u007f"`,
		"a\u202eb\u200b":     `"a\u202eb\u200b"`,
		"alm\u061c":          `"alm\u061c"`,
		"line\u2028end":      `"line\u2028end"`,
		"tag\U000e0041":      `"tag\udb40\udc41"`,
		"\x1b[31m":           `"\u001b[31m"`,
		"already \\u202e":    `"already \\u202e"`,
		"backslash \\\u202e": `"backslash \\\u202e"`,
	} {
		got, err := prose.JSON(text)
		if err != nil || string(got) != want+"\n" {
			t.Errorf("JSON(%q) = %s, %v; want %s", text, got, err, want)
		}
	}
}

func TestJSONOfWhatCannotBeEncodedIsAnError(t *testing.T) {
	if line, err := prose.JSON(func() {}); err == nil {
		t.Errorf("got %s", line)
	}
}

func FuzzJSONSaysTheSameAndIsHarmless(f *testing.F) {
	f.Add("\x1b[31mred\u009b1m\u202e\U000e0041\\\xff\u2028\x7f")
	f.Fuzz(func(t *testing.T, text string) {
		line, err := prose.JSON(map[string]string{text: text})
		if err != nil {
			t.Fatal(err)
		}
		plain, err := json.Marshal(map[string]string{text: text})
		if err != nil {
			t.Fatal(err)
		}
		var got, want map[string]string
		if err := errors.Join(json.Unmarshal(line, &got), json.Unmarshal(plain, &want)); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if !maps.Equal(got, want) {
			t.Fatalf("%q became %q", want, got)
		}
		if at := bytes.IndexFunc(bytes.TrimSuffix(line, []byte("\n")), prose.Deceives); at >= 0 {
			t.Fatalf("%q is in %s", line[at:], line)
		}
	})
}
