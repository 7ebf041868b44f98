package config

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestARunMeasuresCoverageOnlyWhereTheFileSaysSo(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "[run]\n": false, "[run]\ncover = false\n": false, "[run]\ncover = true\n": true, "run.cover = true": true,
	} {
		if got, err := Load(workspace(t, text)); err != nil || got.Run.Cover != want {
			t.Errorf("%q: %+v, %v", text, got.Run, err)
		}
	}
}

func TestWhatIsNeitherTrueNorFalseIsRefused(t *testing.T) {
	for text, says := range map[string]string{
		"[run]\ncover = \"true\"\n": `run.cover is the text "true"; it must be true or false, without quotes`,
		"[run]\ncover = 1\n":        "run.cover is 1; it must be true or false",
		"[run]\ncovers = true\n":    "run.covers is not known; did you mean `cover`?",
		"cover = true\n":            "cover is not known here; it belongs below [run]",
	} {
		got, err := Load(workspace(t, text))
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(e.Error(), says) || !cmp.Equal(got, Config{}) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}
