package ledger

import (
	"context"
	"encoding/json"

	"github.com/proctorhq/proctor/host/api"
)

// nounsKey has what the users of each language call a suite: a question starts no plugin
// that could say so.
const nounsKey = "suite_nouns/v1"

// KeepSuiteNoun keeps what a language's users call a suite. Without it, an answer says
// "suite".
func KeepSuiteNoun(ctx context.Context, m *Ledger, language, noun string) {
	if m == nil || m.History == nil {
		return
	}
	nouns := suiteNouns(ctx, m)
	if nouns[language] == noun {
		return
	}
	if nouns == nil {
		nouns = map[string]string{}
	}
	nouns[language] = noun
	raw, err := json.Marshal(nouns)
	if err == nil {
		err = m.History.Put(ctx, nounsKey, raw)
	}
	if err != nil {
		m.Keeper.Cfg.Logger.Warn("what suites are called could not be recorded", "language", language, "error", err)
	}
}

func suiteNouns(ctx context.Context, m *Ledger) map[string]string {
	var nouns map[string]string
	if raw, ok, err := m.History.Get(ctx, nounsKey); err != nil || !ok || json.Unmarshal(raw, &nouns) != nil {
		return nil
	}
	return nouns
}

// SuiteNoun returns what the users of some languages, or of all on record, call a suite;
// empty if that is unknown or not the same in all.
func SuiteNoun(ctx context.Context, h *Keeper, where api.Where, languages ...string) string {
	store, err := h.OpenRecords(where)
	if err != nil || !hasHistory(store) {
		return ""
	}
	m, err := OpenHistory(ctx, h, store) // words need no settled record
	if err != nil {
		return ""
	}
	nouns := suiteNouns(ctx, m)
	if len(languages) == 0 {
		for language := range nouns {
			languages = append(languages, language)
		}
	}
	common := ""
	for i, language := range languages {
		if i > 0 && nouns[language] != common {
			return ""
		}
		common = nouns[language]
	}
	return common
}
