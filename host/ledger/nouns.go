package ledger

import (
	"context"
	"encoding/json"
	"maps"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/project"
)

// nounsKey has what the users of each language call a suite: a question starts no plugin
// that could say so.
const nounsKey = "suite_nouns/v1"

// KeepSuiteNoun keeps what a language's users call a suite. Without it, an answer says
// "suite".
func KeepSuiteNoun(ctx context.Context, l *Ledger, language, noun string) {
	if l == nil || l.History == nil {
		return
	}
	nouns := suiteNouns(ctx, l)
	if nouns[language] == noun {
		return
	}
	if nouns == nil {
		nouns = map[string]string{}
	}
	nouns[language] = noun
	raw, err := json.Marshal(nouns)
	if err == nil {
		err = l.History.Put(ctx, nounsKey, raw)
	}
	if err != nil {
		l.Keeper.Cfg.Logger.Warn("what suites are called could not be recorded", "language", language, "error", err)
	}
}

func suiteNouns(ctx context.Context, l *Ledger) map[string]string {
	var nouns map[string]string
	if raw, ok, err := l.History.Get(ctx, nounsKey); err != nil || !ok || json.Unmarshal(raw, &nouns) != nil {
		return nil
	}
	return nouns
}

// SuiteNouns returns what the users of each language call a suite, as far as it is on
// record or a plugin of this process said so.
func SuiteNouns(ctx context.Context, k *Keeper, where api.Where) map[string]string {
	nouns := map[string]string{}
	if store, err := k.OpenRecords(where); err == nil && hasHistory(store) {
		if l, err := OpenHistory(ctx, k, store); err == nil { // words need no settled record
			maps.Copy(nouns, suiteNouns(ctx, l))
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	maps.Copy(nouns, k.nouns)
	return nouns
}

// hear keeps what the plugins of projects call a suite, for questions about a workspace
// without a run.
func (s *sharedState) hear(projects []project.Project) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range projects {
		s.nouns[p.ID.Language] = p.ID.SuiteNoun
	}
}
