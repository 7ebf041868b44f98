package standing

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/sdk"
)

// The judgment is stored under two keys. It saves the next judgment, and the hook at the
// start of a session, from examining everything. What says whether it still holds is small
// and stands apart: after most runs nothing else is read or written. Increase the number
// when the rules for files change.
const (
	spotsKey = "context/v7"
	filesKey = "context/v7/files"
)

// KeptSpots are how files stood after some runs, with some tests deferred.
type KeptSpots struct {
	keptHead
	keptFiles
}

// keptHead is what is read and written after each run.
type keptHead struct {
	// Order is that of our newest run among them.
	Order int64 `json:"order"`
	// Deferred identifies the set of deferred tests.
	Deferred string `json:"deferred"`
	// Runs are the finished runs on record.
	Runs spans `json:"runs"`
	// Languages are those with runs.
	Languages []string `json:"languages"`
	// Names are the base names of the files in the note.
	Names []string `json:"names"`
	// Bases are what the standing of the files of a language is based on.
	Bases map[string]basis `json:"bases"`
	// Rest identifies the stored keptFiles.
	Rest string `json:"rest"`
}

// keptFiles is the rest.
type keptFiles struct {
	// Files are those with tests that ever failed, in the order of their spots.
	Files []judgedFile `json:"files"`
	// Namesakes are recorded files that share a base name with a file in the note.
	Namesakes []string `json:"namesakes"`
}

// basis is what, besides the results of their tests, the standing of files is based on.
type basis struct {
	Files []string `json:"f"`
	// Complete are the runs that got to every test; Ended are those that lacked a test of
	// one of the files.
	Complete []int64 `json:"c"`
	Ended    []int64 `json:"e,omitempty"`
	// Known are the tests by which another session knew a file.
	Known    []knownTest   `json:"k,omitempty"`
	Settings []settingSeen `json:"s"`
}

type knownTest struct {
	Suite string `json:"s"`
	Test  string `json:"t"`
	File  string `json:"f"`
}

// settingSeen sums up the tests that were last seen in runs with a setting: the first of
// these runs whose test no later run of everything lacks, and the last whose test one does;
// 0 if there is none.
type settingSeen struct {
	Setting string `json:"e"`
	Here    int64  `json:"h,omitempty"`
	Lacking int64  `json:"l,omitempty"`
}

// basesOf returns what the standing of files is based on, by language, apart from Complete.
func basesOf(files []judgedFile) map[string]basis {
	bases := map[string]basis{}
	for _, f := range files {
		b := bases[f.Language]
		b.Files = append(b.Files, f.File)
		for _, order := range f.Ended {
			if !slices.Contains(b.Ended, order) {
				b.Ended = append(b.Ended, order)
			}
		}
		for _, t := range f.Known {
			b.Known = append(b.Known, knownTest{t.Suite, t.Test, f.File})
		}
		for _, t := range f.Tests {
			if t.Last > 0 {
				b.see(t)
			}
		}
		bases[f.Language] = b
	}
	return bases
}

func (b *basis) see(t lookedAt) {
	i := slices.IndexFunc(b.Settings, func(s settingSeen) bool { return s.Setting == t.Setting })
	if i < 0 {
		i = len(b.Settings)
		b.Settings = append(b.Settings, settingSeen{Setting: t.Setting})
	}
	switch s := &b.Settings[i]; {
	case t.Lacks:
		s.Lacking = max(s.Lacking, t.Last)
	case s.Here == 0 || t.Last < s.Here:
		s.Here = t.Last
	}
}

// agrees reports whether, by these runs that got to every test, exactly the tests are
// lacking that were, and each run that lacked one is still among them.
func (b basis) agrees(whole CompleteSet) bool {
	for _, order := range b.Ended {
		if !slices.ContainsFunc(whole, func(r classify.CompleteRun) bool { return r.Order == order }) {
			return false
		}
	}
	for _, s := range b.Settings {
		newest := int64(0)
		for _, r := range whole {
			if r.Setting == s.Setting {
				newest = max(newest, r.Order)
			}
		}
		if s.Lacking > 0 && newest <= s.Lacking || s.Here > 0 && newest > s.Here {
			return false
		}
	}
	return true
}

// judgedFile is how a file stood.
type judgedFile struct {
	Language string `json:"l"`
	File     string `json:"f"`
	// Tests are those by which it was judged, and those left out.
	Tests []lookedAt `json:"t"`
	// Spot is nil if the file gives no trouble; Order is that of its last run.
	Spot  *api.Spot `json:"s,omitempty"`
	Order int64     `json:"o,omitempty"`
	// Ended are runs of everything that lacked one of the tests.
	Ended []int64 `json:"e,omitempty"`
	// Older reports whether the standing depends on runs that may have been removed since.
	Older bool `json:"older,omitempty"`
	// Known are other tests of the file, by which another session knew it.
	Known []sdk.TestID `json:"k,omitempty"`
}

// lookedAt is a test that ever failed, with what shows whether reading it again would
// find the same.
type lookedAt struct {
	Suite string `json:"s"`
	Test  string `json:"t"`
	Use   use    `json:"u,omitempty"`
	// Whole reports whether, besides its newest results, the decisive ones of earlier
	// sessions were read; Cut, whether there are more than the newest.
	Whole bool `json:"w,omitempty"`
	Cut   bool `json:"c,omitempty"`
	// Oldest is the run of the oldest result read, Last that of our newest one, with
	// Setting. Lacks reports whether a later run of everything lacked it.
	Oldest  int64  `json:"o,omitempty"`
	Last    int64  `json:"n,omitempty"`
	Setting string `json:"e,omitempty"`
	Lacks   bool   `json:"g,omitempty"`
}

// use is what a test contributes.
type use int

const (
	failedHere      use = iota
	failedElsewhere     // only in runs made elsewhere
	failedBefore        // its results here lie behind results made elsewhere
)

// Spots returns the files that give trouble, latest failures first.
func (k KeptSpots) Spots() []api.Spot {
	spots := []api.Spot{}
	for _, f := range k.Files {
		if f.Spot != nil {
			spots = append(spots, *f.Spot)
		}
	}
	return spots
}

// keepSpots stores kept, or only its head where the stored rest still holds.
func keepSpots(ctx context.Context, led *ledger.Ledger, kept KeptSpots, onlyHead bool) error {
	answers := map[string][]byte{}
	if !onlyHead {
		rest, err := json.Marshal(kept.keptFiles)
		if err != nil {
			return err
		}
		kept.Rest = restName(rest)
		answers[filesKey] = rest
	}
	head, err := json.Marshal(kept.keptHead)
	if err != nil {
		return err
	}
	answers[spotsKey] = head
	return led.History.PutAll(ctx, answers)
}

// ReadKeptSpots returns what is stored, if anything.
func ReadKeptSpots(ctx context.Context, led *ledger.Ledger) (kept KeptSpots, ok bool) {
	head, ok := readKeptHead(ctx, led)
	if !ok {
		return KeptSpots{}, false
	}
	files, ok := readKeptFiles(ctx, led, head.Rest)
	if !ok {
		return KeptSpots{}, false
	}
	return KeptSpots{head, files}, true
}

func readKeptHead(ctx context.Context, led *ledger.Ledger) (head keptHead, ok bool) {
	value, ok, err := led.History.Get(ctx, spotsKey)
	if !ok || err != nil || json.Unmarshal(value, &head) != nil || !head.Runs.sound() {
		return keptHead{}, false
	}
	return head, true
}

// readKeptFiles returns the rest that a head names. Another process may have replaced it.
func readKeptFiles(ctx context.Context, led *ledger.Ledger, name string) (files keptFiles, ok bool) {
	value, ok, err := led.History.Get(ctx, filesKey)
	if !ok || err != nil || restName(value) != name || json.Unmarshal(value, &files) != nil {
		return keptFiles{}, false
	}
	return files, true
}

func restName(rest []byte) string {
	sum := sha256.Sum256(rest)
	return hex.EncodeToString(sum[:16])
}

// name finds the files that share a base name with a file in the note. While these names
// stay the same and no run is gone, it reuses the earlier ones and only adds files with
// new results.
func (j *judgment) name(ctx context.Context, kept *KeptSpots) error {
	files := map[string]bool{}
	for _, file := range classify.Named(kept.Spots()) {
		if base := path.Base(file); !slices.Contains(kept.Names, base) {
			kept.Names = append(kept.Names, base)
		}
	}
	slices.Sort(kept.Names)
	same := j.gone == 0 && slices.Equal(kept.Names, j.before.Names)
	if same {
		for _, file := range j.before.Namesakes {
			files[file] = true
		}
		for at := range j.changed {
			if slices.Contains(kept.Names, path.Base(at.file)) {
				files[at.file] = true
			}
		}
	}
	for _, base := range kept.Names {
		if same {
			break
		}
		found, err := j.History.FilesNamed(ctx, base)
		if err != nil {
			return err
		}
		for _, file := range found {
			files[file] = true
		}
	}
	kept.Namesakes = slices.Sorted(maps.Keys(files))
	return nil
}

// setName identifies a set of deferred tests.
func setName(deferred map[history.TestKey]history.Deferral) string {
	names := make([]string, 0, len(deferred))
	for t := range deferred {
		names = append(names, strings.Join([]string{t.Language, t.Suite, t.Test}, "\x00"))
	}
	slices.Sort(names)
	sum := sha256.Sum256([]byte(strings.Join(names, "\x01")))
	return hex.EncodeToString(sum[:16])
}

// spans are ascending ranges of run orders, inclusive.
type spans [][2]int64

func spansOf(orders []int64) spans {
	var s spans
	for _, order := range orders {
		if n := len(s); n > 0 && s[n-1][1] == order-1 {
			s[n-1][1] = order
		} else {
			s = append(s, [2]int64{order, order})
		}
	}
	return s
}

// mostSpanned is how many runs spans may cover: no genuine record has more.
const mostSpanned = 1_000_000

// sound reports whether spans can be genuine: a database can come with a cloned
// repository.
func (s spans) sound() bool {
	last, total := int64(0), int64(0)
	for _, span := range s {
		if span[0] <= last || span[1] < span[0] || span[1]-span[0] >= mostSpanned-total {
			return false
		}
		last = span[1]
		total += span[1] - span[0] + 1
	}
	return true
}

// until returns which of the present runs, ascending, are not in the spans, and which
// runs of the spans are gone.
func (s spans) until(now []int64) (since, gone []int64) {
	for _, span := range s {
		for len(now) > 0 && now[0] < span[0] {
			since, now = append(since, now[0]), now[1:]
		}
		for order := span[0]; order <= span[1]; order++ {
			if len(now) > 0 && now[0] == order {
				now = now[1:]
			} else {
				gone = append(gone, order)
			}
		}
	}
	return append(since, now...), gone
}
