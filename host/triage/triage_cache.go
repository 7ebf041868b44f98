package triage

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/proctorhq/proctor/host/ledger"
)

// key names the question what a suspect does on the base.
func (t *triage) key(s suspect) string {
	sum := sha256.New()
	for _, part := range []string{
		t.base.ID, t.environment, t.project.ID.Language, s.Suite, s.Test.Test, s.root,
		fmt.Sprint(s.built(), s.fixture), t.suspects.run.Seed,
	} {
		fmt.Fprintf(sum, "%d:%s", len(part), part)
	}
	return ledger.TriageKeys + "1/" + hex.EncodeToString(sum.Sum(nil)[:16])
}

// keeps reports whether an answer about a suspect is one for later: not where it is on
// record as flaky, and may do otherwise the next time.
func (t *triage) keeps(s suspect) bool {
	return t.base.ID != "" && t.memory.History != nil && t.standings[s.Test].Flaky == nil
}

// recalled is what an earlier triage saw.
func (t *triage) recalled(ctx context.Context, s suspect) (observation, bool) {
	var o observation
	if t.req.NoCache || !t.keeps(s) {
		return o, false
	}
	raw, ok, err := t.memory.History.Get(ctx, t.key(s))
	if err != nil || !ok || json.Unmarshal(raw, &o) != nil {
		return observation{}, false
	}
	age := t.host.Cfg.Now().Sub(o.At)
	return o, o.definite() && age >= 0 && age <= ledger.MaxAnswerAge
}

// keep keeps an observation for later triages. It is a courtesy.
func (t *triage) keep(ctx context.Context, s suspect, o observation) {
	if !o.definite() || !t.keeps(s) {
		return
	}
	raw, err := json.Marshal(o)
	if err == nil {
		err = t.memory.History.Put(context.WithoutCancel(ctx), t.key(s), raw)
	}
	if err != nil {
		t.host.Cfg.Logger.Warn("an answer was not kept", "error", err)
	}
}
