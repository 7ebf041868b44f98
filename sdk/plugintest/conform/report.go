package conform

import (
	"slices"
	"time"
)

// Schema names the format of a [Report] in JSON.
const Schema = "proctor.plugin-check/v1"

// Status is what came of a point.
type Status string

const (
	// OK: the rule was seen to be kept.
	OK Status = "ok"
	// Failed: it was seen to be broken.
	Failed Status = "failed"
	// NotChecked: what is needed to see it was not there.
	NotChecked Status = "not_checked"
	// NotApplicable: the plugin does not claim the ability, or the system
	// cannot show it.
	NotApplicable Status = "not_applicable"
)

// Outcome is what came of a whole check.
type Outcome string

const (
	// Passed: every point is OK or not applicable.
	Passed Outcome = "passed"
	// Broken: a point failed.
	Broken Outcome = "failed"
	// Incomplete: none failed, and some were not checked.
	Incomplete Outcome = "incomplete"
)

// Report is what came of all points.
type Report struct {
	Schema  string   `json:"schema"`
	Binary  string   `json:"binary,omitempty"`
	Plugin  Plugin   `json:"plugin"`
	Outcome Outcome  `json:"outcome"`
	Counts  Counts   `json:"counts"`
	Points  []Result `json:"points"`
}

// Plugin is who answered.
type Plugin struct {
	Name       string `json:"name"`
	Version    string `json:"version"`
	Language   string `json:"language"`
	SDKVersion string `json:"sdk_version,omitempty"`
}

// Counts are the numbers of points.
type Counts struct {
	OK            int `json:"ok"`
	Failed        int `json:"failed"`
	NotChecked    int `json:"not_checked"`
	NotApplicable int `json:"not_applicable"`
}

// Result is what came of one point.
type Result struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Rule   string `json:"rule"`
	Status Status `json:"status"`
	// Reason is why it was not checked or does not apply.
	Reason string `json:"reason,omitempty"`
	// Findings are how the rule was broken.
	Findings []Finding `json:"findings,omitempty"`
	// Left is the number of findings beyond the shown ones.
	Left int `json:"findings_left_out,omitempty"`
	// Notes are worth knowing and no fault.
	Notes  []string `json:"notes,omitempty"`
	Millis int64    `json:"millis"`
}

// Finding is one way in which a rule was broken.
type Finding struct {
	Seen string `json:"seen"`
	// Advice is what to do.
	Advice string `json:"advice"`
}

// report sums results up. Without a single OK nothing was proved.
func report(binary string, plugin Plugin, results []Result) Report {
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
	// maxFindings of a point are shown: the first ones lead to the fault.
	maxFindings = 8
	// maxSeen bounds a text of a finding.
	maxSeen = 2000
)

// probe collects what is seen while one point is checked.
type probe struct{ Result }

// fail records a broken rule.
func (p *probe) fail(seen, advice string) {
	p.Status = Failed
	if len(p.Findings) == maxFindings {
		p.Left++
		return
	}
	p.Findings = append(p.Findings, Finding{Seen: cut(seen), Advice: advice})
}

// note keeps what is worth knowing, once.
func (p *probe) note(text string) {
	if text = cut(text); !slices.Contains(p.Notes, text) {
		p.Notes = append(p.Notes, text)
	}
}

// skip says why the rule could not be checked. A finding outweighs it.
func (p *probe) skip(reason string) { p.settle(NotChecked, reason) }

// exempt says why the rule does not apply.
func (p *probe) exempt(reason string) { p.settle(NotApplicable, reason) }

func (p *probe) settle(s Status, reason string) {
	if p.Status != Failed {
		p.Status, p.Reason = s, cut(reason)
	}
}

// done ends the check of a point.
func (p *probe) done(began time.Time) Result {
	if p.Status == "" {
		p.Status = OK
	}
	p.Millis = time.Since(began).Milliseconds()
	return p.Result
}

func cut(text string) string {
	if len(text) > maxSeen {
		return text[:maxSeen] + " [...]"
	}
	return text
}
