package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/doctor"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/mcp/limits"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/query"
)

// How much of each part of a workspace's description is shown.
const (
	infoRuns = 5   // runs in progress, and waiting ones
	infoLook = 100 // the newest runs, searched for those in progress
	// infoBudget bounds the text and the object, in bytes each.
	infoBudget = 60 << 10
)

// infoObject describes a workspace. Fields shared with proctor doctor are the same.
type infoObject struct {
	// Message is set if there is no workspace to describe.
	Message   string `json:"message,omitempty"`
	Version   string `json:"version"`
	SessionID string `json:"session_id"`
	Workspace string `json:"workspace,omitempty"`
	FoundBy   string `json:"found_by,omitempty"`
	// Records is where runs are recorded; empty before the first.
	Records  string              `json:"records,omitempty"`
	Projects []api.ProjectReport `json:"projects"`
	Plugins  []api.PluginReport  `json:"plugins"`
	Refused  []api.RefusedReport `json:"refused,omitempty"`
	// Running are the workspace's runs in progress, including those of other sessions;
	// Queued are those of this session that wait for one of them. A total is set if
	// they are not all.
	Running      []infoRun `json:"running"`
	RunningTotal int       `json:"running_total,omitempty"`
	Queued       []infoRun `json:"queued,omitempty"`
	QueuedTotal  int       `json:"queued_total,omitempty"`
	// Outstanding counts what failed or did not run, and has not passed since.
	Outstanding int `json:"outstanding"`
	outstanding api.OutstandingCounts
	// Next reruns that.
	Next string `json:"next,omitempty"`
	// Note, Recurring and Regressions are as in proctor mcp context.
	Note             string     `json:"note,omitempty"`
	Recurring        []api.Spot `json:"recurring,omitempty"`
	RecurringTotal   int        `json:"recurring_total,omitempty"`
	Regressions      []api.Spot `json:"regressions,omitempty"`
	RegressionsTotal int        `json:"regressions_total,omitempty"`
	Problems         []api.Note `json:"problems"`
	// Searched is where plugins are looked for, if one is missing or broken.
	Searched []string `json:"searched,omitempty"`
}

// infoRun is a run that has not ended.
type infoRun struct {
	RunID     string  `json:"run_id"`
	SessionID string  `json:"session_id,omitempty"`
	Language  string  `json:"language,omitempty"`
	AgeS      float64 `json:"age_s"`
	// WaitsFor is the run that a queued one waits for; empty if unknown, or if it waits
	// for a listing of tests.
	WaitsFor string `json:"waits_for,omitempty"`
}

type workspaceInfoArgs struct{ placing }

func (a *workspaceInfoArgs) Params() []api.Param { return []api.Param{likeRunTests(a.serverPlace())} }

func workspaceInfo() tool {
	return tool{
		name: "workspace_info", hints: reads,
		description: "Projects, what a run executes, plugins, tools, problems, the running run, what is outstanding, " +
			"recurring failures, recent regressions.",
		action: take(func(ctx context.Context, c *call, args workspaceInfoArgs) (answer, error) {
			p, err := c.findPlace(ctx, args.Workspace)
			var none *noPlaceError
			if err != nil && (args.Workspace != "" || !errors.As(err, &none)) {
				return answer{}, err
			}
			info := infoObject{Running: []infoRun{}, FoundBy: p.foundBy}
			var d api.Diagnosis
			if none != nil {
				d = doctor.Installed(ctx, c.session.keeper)
				info.Message = noProject
				d.Problems = append(api.Notes(api.NoteProject, orChoices(ctx, c, none).Error()), d.Problems...)
			} else {
				d = doctor.Glance(ctx, c.session.keeper, p.where)
				d.Workspace = cmp.Or(d.Workspace, p.where.Dir)
				d.Problems = append(d.Problems, info.addRecord(ctx, c.session.keeper, p.where)...)
			}
			info.addQueue(c.session.jobs)
			if err := ctx.Err(); err != nil {
				return answer{}, err
			}
			return info.answer(d), nil
		}),
	}
}

// answer formats as much of a diagnosis as fits.
func (info infoObject) answer(d api.Diagnosis) answer {
	return fitAnswer(infoBudget, 1, limits.MaxListed, func(n int) answer {
		info := info.addDiagnosis(d, n)
		return answer{text: info.text(), object: info}
	})
}

// addDiagnosis adds a diagnosis, with at most this many items of each list.
func (info infoObject) addDiagnosis(d api.Diagnosis, most int) infoObject {
	isBroken := func(p api.PluginReport) bool { return p.Error != "" }
	if len(d.Plugins) > 0 && len(d.Refused) == 0 && !slices.ContainsFunc(d.Plugins, isBroken) {
		d.Searched = nil // nothing is missing
	}
	l := limits.Limiter{Most: most}
	d = limits.With(&l, d)
	info.Version, info.SessionID, info.Workspace, info.Records = d.Version, d.SessionID, d.Workspace, d.Records
	info.Projects, info.Plugins, info.Refused, info.Searched = d.Projects, d.Plugins, d.Refused, d.Searched
	info.Problems = append([]api.Note{}, d.Problems...)
	var left []string
	for _, of := range slices.Sorted(maps.Keys(l.Left)) {
		left = append(left, fmt.Sprintf("%d %s", l.Left[of], of))
	}
	if len(left) > 0 {
		info.Problems = append(info.Problems, api.Notes(api.NotePartly, "not shown for lack of room: "+strings.Join(left, ", "))...)
	}
	return info
}

// addRecord adds what is on record of the workspace, and returns what is wrong with
// that. Before the first run there is nothing.
func (info *infoObject) addRecord(ctx context.Context, k *ledger.Keeper, where api.Where) (problems []api.Note) {
	failed := func(err error) bool {
		var none *api.NoRunError
		if err != nil && !errors.As(err, &none) {
			if n := (api.Note{Code: api.NoteRecord, Text: err.Error()}); !slices.Contains(problems, n) {
				problems = append(problems, n)
			}
		}
		return err != nil
	}
	if list, err := query.Runs(ctx, k, api.RunsRequest{Where: where, Limit: infoLook}); !failed(err) {
		for _, run := range list.Runs {
			if run.State == api.StateRunning {
				info.Running = append(info.Running, infoRun{RunID: run.RunID, SessionID: run.SessionID, Language: run.Language, AgeS: run.AgeS})
			}
		}
		info.Running, info.RunningTotal = firstRuns(info.Running)
		problems = append(problems, list.Warnings...)
	}
	if outstanding, err := query.Outstanding(ctx, k, api.OutstandingRequest{Where: where, Limit: 1}); !failed(err) {
		info.Outstanding, info.outstanding, info.Next = outstanding.Total, outstanding.Counts, nextOf(ctx, k, where, outstanding.Total-outstanding.Quarantined)
	}
	if note, err := query.Context(ctx, k, where); !failed(err) {
		info.addContext(note)
	}
	return problems
}

// nextOf returns the call that reruns what is outstanding: a session without a run of
// its own must name one.
func nextOf(ctx context.Context, k *ledger.Keeper, where api.Where, outstanding int) string {
	if outstanding == 0 {
		return ""
	}
	_, err := query.FailuresFrom(ctx, k, api.LastRun{Where: where}, 0, 1)
	var none *api.NoRunError
	switch {
	case !errors.As(err, &none):
		return "run_failing_tests runs what is outstanding"
	case none.Earlier != nil && none.Earlier.RunID != "":
		return fmt.Sprintf("run_failing_tests{\"run_id\":%q} runs what is outstanding since then, run_tests everything", none.Earlier.RunID)
	}
	return "run_tests runs everything"
}

// addQueue adds the session's waiting runs.
func (info *infoObject) addQueue(js *jobs) {
	for _, j := range js.unfinished() {
		s := j.status()
		if s.waiting != nil {
			queued := infoRun{RunID: j.id, AgeS: time.Since(s.since).Seconds()}
			if s.waiting.RunID != api.Unknown && !s.waiting.Listing {
				queued.WaitsFor = s.waiting.RunID
			}
			info.Queued = append(info.Queued, queued)
		}
	}
	info.Queued, info.QueuedTotal = firstRuns(info.Queued)
}

// firstRuns returns the first of some runs, and how many there are if that is not all.
func firstRuns(runs []infoRun) (first []infoRun, total int) {
	if len(runs) <= infoRuns {
		return limits.Of(runs), 0
	}
	return limits.Of(runs[:infoRuns]), len(runs)
}

// addContext adds what the history says of the workspace.
func (info *infoObject) addContext(c api.Context) {
	c = limits.Of(c)
	info.Note = c.Text
	info.Recurring, info.RecurringTotal = c.Recurring, c.RecurringTotal
	info.Regressions, info.RegressionsTotal = c.Regressions, c.RegressionsTotal
}

// text says the same in words: problems first, above all a missing workspace.
func (info infoObject) text() []string {
	var blocks []string
	if info.Message != "" {
		blocks = append(blocks, info.Message)
	}
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-11s %s\n", name, fmt.Sprintf(format, args...))
	}
	for _, p := range info.Problems {
		line("problem", "%s", strings.ReplaceAll(p.Text, "\n", "\n            "))
	}
	if len(info.Searched) > 0 {
		line("searched", "%s (for plugins)", strings.Join(info.Searched, ", "))
	}
	if info.Workspace != "" {
		line("workspace", "%s (found by: %s)", info.Workspace, info.FoundBy)
		records := info.Records
		if records == "" {
			records = "none yet"
		}
		line("records", "%s", records)
	}
	for _, p := range info.Projects {
		line("project", "%s", p.Language)
		for _, name := range slices.Sorted(maps.Keys(p.Tools)) {
			line("  tool", "%s %s", name, p.Tools[name])
		}
		for _, c := range p.Commands {
			line("  would run", "%s (in %s)", prose.ShellLine(c.Argv), c.Dir)
		}
		for _, u := range p.Untested {
			line("  untested", "%s", u)
		}
	}
	for _, r := range info.Running {
		line("running", "run %s of session %s, %s, %s", r.RunID, r.SessionID, r.Language, infoAge(r))
	}
	if left := info.RunningTotal - len(info.Running); left > 0 {
		line("running", "%d more", left)
	}
	for _, r := range info.Queued {
		what := "whoever is using the workspace"
		if r.WaitsFor != "" {
			what = "run " + r.WaitsFor
		}
		line("queued", "run %s of this session waits for %s, %s", r.RunID, what, infoAge(r))
	}
	if left := info.QueuedTotal - len(info.Queued); left > 0 {
		line("queued", "%d more", left)
	}
	if info.Outstanding > 0 {
		line("outstanding", "%s: %s", info.outstanding, info.Next)
	}
	if info.Note != "" {
		line("note", "%s", info.Note)
	}
	line("session", "%s", info.SessionID)
	line("proctor", "%s", info.Version)
	for _, p := range info.Plugins {
		if p.Error == "" {
			line("plugin", "%s %s (%s) %s", p.Name, p.Version, p.Language, p.Path)
		} else {
			line("plugin", "%s does not work: %s", p.Name, p.Path)
		}
	}
	for _, r := range info.Refused {
		line("refused", "%s: %s", cmp.Or(r.Path, r.Name), r.Reason)
	}
	return append(blocks, strings.TrimSuffix(b.String(), "\n"))
}

func infoAge(r infoRun) string {
	return "for " + prose.Duration(time.Duration(r.AgeS*float64(time.Second)))
}
