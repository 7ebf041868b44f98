package ledger

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/project"
)

// wordsKey has how suites of each language are named: a question starts no plugin that
// could say so.
const wordsKey = "suite_words/v1"

// maxLearned bounds the suites of a run from which their short names are learned.
const maxLearned = 1000

// suiteWords are what the users of a language call a suite, and what precedes the
// directories in the names of suites.
type suiteWords struct {
	Noun     string   `json:"noun"`
	Prefixes []string `json:"prefixes,omitempty"`
}

func wordsOf(p project.Project) suiteWords {
	return suiteWords{Noun: p.ID.SuiteNoun, Prefixes: p.SuitePrefixes}
}

// KeepSuiteWords keeps how suites of a project are named. Without it, an answer says
// "suite".
func KeepSuiteWords(ctx context.Context, l *Ledger, p project.Project) {
	if l == nil || l.History == nil {
		return
	}
	kept, now, language := keptWords(ctx, l), wordsOf(p), p.ID.Language
	if old, known := kept[language]; known && old.Noun == now.Noun && slices.Equal(old.Prefixes, now.Prefixes) {
		return
	}
	if kept == nil {
		kept = map[string]suiteWords{}
	}
	kept[language] = now
	raw, err := json.Marshal(kept)
	if err == nil {
		err = l.History.Put(ctx, wordsKey, raw)
	}
	if err != nil {
		l.Keeper.Cfg.Logger.Warn("how suites are named could not be recorded", "language", language, "error", err)
	}
}

func keptWords(ctx context.Context, l *Ledger) map[string]suiteWords {
	var words map[string]suiteWords
	if raw, ok, err := l.History.Get(ctx, wordsKey); err != nil || !ok || json.Unmarshal(raw, &words) != nil {
		return nil
	}
	return words
}

// SuiteNames shortens the names of suites on record as the newest run did.
func SuiteNames(ctx context.Context, l *Ledger) (names api.SuiteNames) {
	if l == nil || l.History == nil {
		return names
	}
	return shortNames(ctx, l, keptWords(ctx, l))
}

func shortNames(ctx context.Context, l *Ledger, words map[string]suiteWords) (names api.SuiteNames) {
	for _, w := range words {
		names.LearnPrefixes(w.Prefixes)
	}
	if len(words) > 0 {
		return names
	}
	// All that is on record was made elsewhere.
	if last, err := l.History.Runs(ctx, history.RunFilter{State: api.StateFinished, Limit: 1}); err == nil && len(last) > 0 {
		suites, _ := l.History.SuitesOf(ctx, last[0].ID, maxLearned)
		for _, s := range suites {
			names.Learn(s.Suite, s.File)
		}
	}
	return names
}

// SuiteWords returns what the users of each language call a suite, and short names of
// suites, as far as they are on record or a plugin of this process said so.
func SuiteWords(ctx context.Context, k *Keeper, where api.Where) (nouns map[string]string, names api.SuiteNames) {
	nouns = map[string]string{}
	if store, err := k.OpenRecords(where); err == nil && hasHistory(store) {
		if l, err := OpenHistory(ctx, k, store); err == nil { // words need no settled record
			words := keptWords(ctx, l)
			names = shortNames(ctx, l, words)
			for language, w := range words {
				nouns[language] = w.Noun
			}
		}
	}
	names.Join(HeardNames(k))
	k.mu.Lock()
	defer k.mu.Unlock()
	for language, w := range k.words {
		nouns[language] = w.Noun
	}
	return nouns, names
}

// HeardNames returns short names of suites as far as a plugin of this process said so, for
// answers that need no record.
func HeardNames(k *Keeper) (names api.SuiteNames) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, w := range k.words {
		names.LearnPrefixes(w.Prefixes)
	}
	return names
}

// hear keeps how the plugins of projects name suites, for questions about a workspace
// without a run.
func (s *sharedState) hear(projects []project.Project) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range projects {
		s.words[p.ID.Language] = wordsOf(p)
	}
}
