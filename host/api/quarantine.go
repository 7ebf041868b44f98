package api

import "github.com/proctorhq/proctor/sdk"

// QuarantineSchema is the value of [Quarantine.Schema].
const QuarantineSchema = "proctor.quarantine/v1"

// Quarantine lists tests whose known failure does not decide a verdict.
type Quarantine struct {
	Schema string `json:"schema"`
	// File is the file with the entries.
	File    string            `json:"file"`
	Entries []QuarantineEntry `json:"entries"`
	// Removed are the entries that this request removed.
	Removed []QuarantineEntry `json:"removed,omitempty"`
}

// QuarantineEntry is a test in quarantine.
type QuarantineEntry struct {
	Language string `json:"language"`
	sdk.TestID
	Reason string `json:"reason"`
	Link   string `json:"link,omitempty"`
	// Expires is the last day on which the entry counts; empty means no last day.
	Expires string `json:"expires,omitempty"`
	Expired bool   `json:"expired,omitempty"`
	// Signatures are those that the known failure may have.
	Signatures []string `json:"signatures"`
	// Status is how the test ended last: known_failure, other_failure, passed, or
	// unknown. RunID is that run, and AgeS its age in seconds.
	Status QuarantineStatus `json:"status"`
	RunID  string           `json:"run_id,omitempty"`
	AgeS   float64          `json:"age_s,omitempty"`
}

// QuarantineStatus says how a test in quarantine ended last.
type QuarantineStatus string

// The statuses.
const (
	QuarantineKnown   QuarantineStatus = "known_failure"
	QuarantineOther   QuarantineStatus = "other_failure"
	QuarantinePassed  QuarantineStatus = "passed"
	QuarantineUnknown QuarantineStatus = "unknown"
)

// QuarantineRequest asks for tests in quarantine, or changes them.
type QuarantineRequest struct {
	Where Where
	// Name is a test, or the unique end of its name.
	Name string
	// Language selects one language; empty means any.
	Language string
	// Reason and Link are for readers of the file. Expires is the last day, such as
	// 2026-12-31, on which the entry counts; empty means no last day.
	Reason, Link, Expires string
}

// Params are the parameters of the request.
func (r *QuarantineRequest) Params() []Param {
	return []Param{
		{Value: &r.Name, Arg: "TEST"},
		{Value: &r.Reason, Flag: "reason", Help: "why (`TEXT`); required"},
		{Value: &r.Link, Flag: "link", Help: "the `URL` of its issue"},
		{Value: &r.Expires, Flag: "expires", Help: "the last `DAY` on which the entry counts, such as 2026-12-31 (default: no last day)"},
		languageParam(&r.Language, "only tests of this `LANG`"),
	}
}
