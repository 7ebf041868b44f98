package host

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/record"
)

// spotsKey is the key of the spots that are kept. They are found when a run ends,
// so that the hook which asks at the start of a session does not wait.
const spotsKey = "context/v2"

// keptSpots are the spots after a run, while some tests were set aside.
type keptSpots struct {
	// Order is that of the newest run that they are of.
	Order int64 `json:"order"`
	// Deferred names the set of deferred tests.
	Deferred string        `json:"deferred"`
	Spots    []record.Spot `json:"spots"`
	// Namesakes are other files on record with a name that the note has.
	Namesakes []string `json:"namesakes"`
	// Languages are those that have runs.
	Languages []string `json:"languages"`
}

// keepSpots keeps the spots after the run of a language, or, where that is empty,
// of any.
func (m *memory) keepSpots(ctx context.Context, order int64, language string, deferred map[history.TestKey]history.Deferral, spots []record.Spot) (keptSpots, error) {
	kept := keptSpots{Order: order, Deferred: setName(deferred), Spots: spots}
	if before, ok := m.keptSpots(ctx); ok && language != "" {
		kept.Languages = before.Languages
		if !slices.Contains(kept.Languages, language) {
			kept.Languages = append(kept.Languages, language)
		}
	} else {
		var err error
		if kept.Languages, err = m.languages(ctx); err != nil {
			return kept, err
		}
	}
	var err error
	if kept.Namesakes, err = m.namesakes(ctx, spots); err != nil {
		return kept, err
	}
	value, err := json.Marshal(kept)
	if err != nil {
		return kept, err
	}
	return kept, m.history.Put(ctx, spotsKey, value)
}

// namesakes are the files on record with the base name of one that the note names.
func (m *memory) namesakes(ctx context.Context, spots []record.Spot) ([]string, error) {
	asked, files := map[string]bool{}, map[string]bool{}
	for _, file := range classify.Named(spots) {
		base := path.Base(file)
		if asked[base] {
			continue
		}
		asked[base] = true
		tests, err := m.history.Tests(ctx, history.TestFilter{File: base})
		if err != nil {
			return nil, err
		}
		for _, t := range tests {
			files[t.File] = true
		}
	}
	return slices.Sorted(maps.Keys(files)), nil
}

// keptSpots returns what is kept, if anything.
func (m *memory) keptSpots(ctx context.Context) (kept keptSpots, ok bool) {
	value, ok, err := m.history.Get(ctx, spotsKey)
	return kept, ok && err == nil && json.Unmarshal(value, &kept) == nil
}

// isOf tells whether nothing has changed since.
func (k keptSpots) isOf(order int64, deferred map[history.TestKey]history.Deferral) bool {
	return k.Order == order && k.Deferred == setName(deferred)
}

// setName names a set of deferred tests.
func setName(deferred map[history.TestKey]history.Deferral) string {
	names := make([]string, 0, len(deferred))
	for t := range deferred {
		names = append(names, strings.Join([]string{t.Language, t.Suite, t.Test.Test}, "\x00"))
	}
	slices.Sort(names)
	sum := sha256.Sum256([]byte(strings.Join(names, "\x01")))
	return hex.EncodeToString(sum[:16])
}
