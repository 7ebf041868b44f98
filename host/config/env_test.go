package config

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestVariablesThatCountAreNamed(t *testing.T) {
	got, err := Load(workspace(t, "env = [\"CI_*\", \"FEATURE_X\"]\n\n[session]\nhours = 2\n"), "")
	if err != nil || !slices.Equal(got.Env, []string{"CI_*", "FEATURE_X"}) || got.Session.Idle != 2*time.Hour {
		t.Errorf("%+v, %v", got, err)
	}
	for text, says := range map[string]string{
		"env = \"CI_*\"\n":          "a list of at most 100 names",
		"env = [\"CI_*\", 1]\n":     "a list of at most 100 names",
		"env = [\"*\"]\n":           "a list of at most 100 names",
		"env = [\"A B\"]\n":         "a list of at most 100 names",
		"env = {}\n":                "a list of at most 100 names",
		"envs = []\n":               "did you mean `env`?",
		"[run]\nenv = [\"CI\"]\n":   "run.env is unknown",
		"[session]\nhours = 0\n":    "a whole number from 1 to 8760",
		"[session]\nminutes = 30\n": "known: hours",
	} {
		_, err := Load(workspace(t, text), "")
		if e, ok := errors.AsType[*Error](err); !ok || !strings.Contains(e.Error(), says) || e.Line == 0 {
			t.Errorf("%q: %v", text, err)
		}
	}
}
