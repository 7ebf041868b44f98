package conform

import (
	"slices"
	"time"
)

// Schema names the format of a [Report] in JSON.
const Schema = "proctor.plugin-check/v1"

// Status is the result of a point.
type Status string

const (
	// OK means that the rule was seen to be followed.
	OK Status = "ok"
	// Failed means that it was seen to be broken.
	Failed Status = "failed"
	// NotChecked means that what is needed to see it was missing.
	NotChecked Status = "not_checked"
	// NotApplicable means that the plugin does not declare the capability, or that the
	// system cannot show it.
	NotApplicable Status = "not_applicable"
)

// Outcome is the result of a whole check.
type Outcome string

const (
	// Passed means that every point is OK or not applicable.
	Passed Outcome = "passed"
	// Broken means that a point failed.
	Broken Outcome = "failed"
	// Incomplete means that none failed, but some were not checked.
	Incomplete Outcome = "incomplete"
)

// Report holds the results of all points.
type Report struct {
	Schema  string   `json:"schema"`
	Binary  string   `json:"binary,omitempty"`
	Plugin  Plugin   `json:"plugin"`
	Outcome Outcome  `json:"outcome"`
	Counts  Counts   `json:"counts"`
	Points  []Result `json:"points"`
}

// Plugin identifies the plugin that answered.
type Plugin struct {
	Name       string `json:"name"`
	Version    string `json:"version"`
	Language   string `json:"language"`
	SDKVersion string `json:"sdk_version,omitempty"`
}

// Counts counts points by result.
type Counts struct {
	OK            int `json:"ok"`
	Failed        int `json:"failed"`
	NotChecked    int `json:"not_checked"`
	NotApplicable int `json:"not_applicable"`
}

// Result is the result of one point.
type Result struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Rule   string `json:"rule"`
	Status Status `json:"status"`
	// Reason is why it was not checked or does not apply.
	Reason string `json:"reason,omitempty"`
	// Findings say how the rule was broken.
	Findings []Finding `json:"findings,omitempty"`
	// Left is the number of findings beyond the shown ones.
	Left int `json:"findings_left_out,omitempty"`
	// Notes are worth knowing, but not faults.
	Notes  []string `json:"notes,omitempty"`
	Millis int64    `json:"millis"`
}

// Finding is one way in which a rule was broken.
type Finding struct {
	Seen string `json:"seen"`
	// Advice says what to do.
	Advice string `json:"advice"`
}

// newReport sums up results. Without a single OK nothing was proved.
func newReport(binary string, plugin Plugin, results []Result) Report {
	r := Report{Schema: Schema, Binary: binary, Plugin: plugin, Points: results, Outcome: Passed}
	for _, result := range results {
		switch result.Status {
		case OK:
			r.Counts.OK++
		case Failed:
			r.Counts.Failed++
		case NotApplicable:
			r.Counts.NotApplicable++
		default:
			r.Counts.NotChecked++
		}
	}
	switch {
	case r.Counts.Failed > 0:
		r.Outcome = Broken
	case r.Counts.NotChecked > 0 || r.Counts.OK == 0:
		r.Outcome = Incomplete
	}
	return r
}

const (
	// maxFindings bounds the findings of a point that are shown: the first ones lead to
	// the fault.
	maxFindings = 8
	// maxSeen bounds a text of a finding.
	maxSeen = 2000
)

// probe collects observations while one point is checked.
type probe struct{ Result }

// fail records a broken rule.
func (p *probe) fail(seen, advice string) {
	p.Status = Failed
	if len(p.Findings) == maxFindings {
		p.Left++
		return
	}
	p.Findings = append(p.Findings, Finding{Seen: shorten(seen), Advice: advice})
}

// note records something worth knowing, once.
func (p *probe) note(text string) {
	if text = shorten(text); !slices.Contains(p.Notes, text) {
		p.Notes = append(p.Notes, text)
	}
}

// skip records why the rule could not be checked. A finding outweighs it.
func (p *probe) skip(reason string) { p.settle(NotChecked, reason) }

// exempt records why the rule does not apply.
func (p *probe) exempt(reason string) { p.settle(NotApplicable, reason) }

func (p *probe) settle(s Status, reason string) {
	if p.Status != Failed {
		p.Status, p.Reason = s, shorten(reason)
	}
}

// finish ends the check of a point.
func (p *probe) finish(began time.Time) Result {
	if p.Status == "" {
		p.Status = OK
	}
	p.Millis = time.Since(began).Milliseconds()
	return p.Result
}

func shorten(text string) string {
	if len(text) > maxSeen {
		return text[:maxSeen] + " [...]"
	}
	return text
}
