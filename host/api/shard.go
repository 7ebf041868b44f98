package api

import (
	"fmt"
	"strconv"
	"strings"
)

// Shard says which part of a run this is; other machines run the others.
type Shard struct {
	// Index counts from 1 to Of. Attempt counts the runs of the shard: the highest one
	// replaces the others.
	Index   int `json:"index"`
	Of      int `json:"of"`
	Attempt int `json:"attempt"`
	// Plan is the digest of the whole plan: every part of it, what was selected, the
	// recorded durations and the state of the sources. Shards of one run have the same.
	Plan string `json:"plan"`
	// Planned is what the plan assigns to this shard, and how each suite ended. Elsewhere
	// is what it assigns to the others, in their order.
	Planned   []PlannedSuite `json:"planned"`
	Elsewhere []ShardPart    `json:"elsewhere"`
	// SuitesTotal counts the suites of the whole plan.
	SuitesTotal int `json:"suites_total"`
	// Timings is the digest of the file of recorded durations; empty without one.
	Timings string `json:"timings,omitempty"`
	// Everything reports whether the shards together are a run of everything.
	Everything bool `json:"everything,omitempty"`
	// EveryLanguage reports whether no language was named: the run was of all that there are.
	EveryLanguage bool `json:"every_language,omitempty"`
	// FlakyPasses reports whether the project lets a flaky test pass. FlakyBy is what a
	// reader should know about the file with that setting.
	FlakyPasses bool   `json:"flaky_passes,omitempty"`
	FlakyBy     string `json:"flaky_by,omitempty"`
	// QuarantineBy is what a reader should know about the quarantine file, if there is one.
	QuarantineBy string `json:"quarantine_by,omitempty"`
	// Way and Args are how the tests ran, for what is outstanding.
	Way  *Way   `json:"way,omitempty"`
	Args string `json:"args,omitempty"`
}

// String names a shard, as in "2/5".
func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Of) }

// PlannedSuite is a suite in a plan, or some of its tests.
type PlannedSuite struct {
	Suite string `json:"suite"`
	// Tests are the only ones that run here; nil means all of the suite.
	Tests []string `json:"tests,omitempty"`
	// Ended is how the suite ended; empty if nothing shows it.
	Ended SuiteEnd `json:"ended,omitempty"`
}

// ShardPart is what a plan assigns to another shard.
type ShardPart struct {
	Index   int            `json:"index"`
	Planned []PlannedSuite `json:"planned"`
}

// SuiteEnd is how a suite ended.
type SuiteEnd string

// The ends of suites.
const (
	SuiteEndPassed      SuiteEnd = "passed"
	SuiteEndFailed      SuiteEnd = "failed"
	SuiteEndBuildFailed SuiteEnd = "build_failed"
	SuiteEndAborted     SuiteEnd = "aborted"
	SuiteEndOutside     SuiteEnd = "failed_outside_tests"
	SuiteEndNoTests     SuiteEnd = "no_tests"
	SuiteEndUnfinished  SuiteEnd = "unfinished"
)

// MaxShards bounds the number of shards of a run. CI allows fewer: GitHub, 256 jobs in a
// matrix.
const MaxShards = 4000

// ParseShard reads a shard as users write it: 2/5.
func ParseShard(text string) (index, of int, err error) {
	before, after, ok := strings.Cut(text, "/")
	index, ierr := strconv.Atoi(before)
	of, oerr := strconv.Atoi(after)
	if !ok || ierr != nil || oerr != nil || index < 1 || index > of || of > MaxShards {
		return 0, 0, &UsageError{
			Reason: fmt.Sprintf("%.50q is not a shard", text),
			Fix:    fmt.Sprintf("give its number and how many there are, as in 2/5, at most %d", MaxShards),
		}
	}
	return index, of, nil
}

// TimingsSchema is the value of [Timings.Schema].
const TimingsSchema = "proctor.timings/v1"

// Timings is a file of recorded durations, by which a run is divided into shards.
type Timings struct {
	Schema string `json:"schema"`
	// PerSuiteS is what a suite costs besides its tests; nil is a default.
	PerSuiteS *float64 `json:"per_suite_s,omitempty"`
	// Languages holds seconds by language, suite and test.
	Languages map[string]map[string]map[string]float64 `json:"languages"`
}

// Merged says which shards a merge consists of.
type Merged struct {
	// Of is how many shards there should be, Plan the digest of their plan.
	Of   int    `json:"of"`
	Plan string `json:"plan,omitempty"`
	// Shards are those with a report, every attempt of them.
	Shards []MergedShard `json:"shards"`
	// Problems say why the shards are not the whole run; empty if they are.
	Problems []string `json:"problems,omitempty"`
	// Missing are the shards without a report.
	Missing []int `json:"missing,omitempty"`
	// Here reports whether the sources here are those of the shards, so that what failed
	// is outstanding here.
	Here bool `json:"here"`
	// Rules is the version of the rules by which they were merged.
	Rules int `json:"rules,omitempty"`
}

// MergedShard is an attempt of a shard in a merge.
type MergedShard struct {
	Index   int     `json:"index"`
	Attempt int     `json:"attempt"`
	File    string  `json:"file"`
	RunID   string  `json:"run_id"`
	Verdict Verdict `json:"verdict"`
	Reason  string  `json:"reason"`
	// Suites counts the suites that the plan assigns to it.
	Suites    int     `json:"suites"`
	DurationS float64 `json:"duration_s"`
	// Replaced reports whether a later attempt takes its place.
	Replaced bool `json:"replaced,omitempty"`
}
