package limits

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/proctorhq/proctor/host/prose"
)

func TestACutNeverSplitsACharacter(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("aä€𝄞", 300)
	for most := range 64 {
		if got := prose.Head(text, most); !utf8.ValidString(got) || len(got) > most || len(got) <= most-utf8.UTFMax {
			t.Errorf("%d bytes: %q", most, got)
		}
	}
}

func TestAdviceNamesToolsAndNoCommands(t *testing.T) {
	t.Parallel()
	for operation, text := range toolAdvice {
		if strings.Contains(text, "shell") || strings.Contains(text, "proctor ") {
			t.Errorf("%v: %s", operation, text)
		}
	}
}
