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
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/query"
)

// How much of each part of a workspace's description is shown.
const (
	infoSpots = 5   // files that recur, and that regressed
	infoRuns  = 5   // runs in progress, and waiting ones
	infoLook  = 100 // the newest runs, searched for those in progress
	infoItems = 20  // commands, plugins, problems and the like, if they fit
	infoBytes = 1 << 10
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
	// Queued are those of this session that wait for one of them.
	Running []infoRun `json:"running"`
	Queued  []infoRun `json:"queued,omitempty"`
	// Outstanding counts what failed or did not run, and has not passed since.
	Outstanding int `json:"outstanding"`
	outstanding api.OutstandingCounts
	// Next reruns that.
	Next string `json:"next,omitempty"`
	// Note, Recurring and Regressions are as in proctor context.
	Note             string     `json:"note,omitempty"`
	Recurring        []api.Spot `json:"recurring,omitempty"`
	RecurringTotal   int        `json:"recurring_total,omitempty"`
	Regressions      []api.Spot `json:"regressions,omitempty"`
	RegressionsTotal int        `json:"regressions_total,omitempty"`
	Problems         []string   `json:"problems"`
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

func (a *workspaceInfoArgs) Params() []api.Param { return []api.Param{a.serverPlace()} }

func workspaceInfo() tool {
	return tool{
		name: "workspace_info", hints: reads,
		description: "Detected projects and what a run would execute, plugins, toolchain paths and problems, the running run, what is outstanding, " +
			"recurring failures and recent regressions.",
		action: take(func(ctx context.Context, c *call, args workspaceInfoArgs) (answer, error) {
			p, err := c.place(ctx, args.Workspace)
			var none *noPlaceError
			if err != nil && (args.Workspace != "" || !errors.As(err, &none)) {
				return answer{}, err
			}
			info := infoObject{Running: []infoRun{}, FoundBy: p.foundBy}
			var d api.Diagnosis
			if none != nil {
				d = doctor.Installed(ctx, c.session.host)
				info.Message = noProject
				d.Problems = append([]string{none.Error()}, d.Problems...)
			} else {
				d = doctor.Glance(ctx, c.session.host, p.where)
				d.Workspace = cmp.Or(d.Workspace, p.where.Dir)
				if what := Advice(d.Advice); what != "" {
					d.Problems = append(d.Problems, what)
				}
				d.Problems = append(d.Problems, info.remember(ctx, c.session.host, p.where)...)
			}
			info.queue(c.session.desk)
			if err := ctx.Err(); err != nil {
				return answer{}, err
			}
			return info.answer(d)
		}),
	}
}

// answer formats as much of a diagnosis as fits.
func (info infoObject) answer(d api.Diagnosis) (answer, error) {
	for most := infoItems; ; most /= 4 {
		info.diagnose(d, most)
		a := answer{text: info.text(), object: info}
		raw, err := prose.JSON(info)
		if err != nil || most <= 1 || len(raw) <= infoBudget && len(strings.Join(a.text, "\n")) <= infoBudget {
			return a, err
		}
	}
}

// infoList limits lists to their first items.
type infoList struct {
	most int
	left bool // some were left out
}

func infoFirst[T any](l *infoList, items []T) []T {
	l.left = l.left || len(items) > l.most
	return items[:min(len(items), l.most)]
}

func (l *infoList) texts(texts []string, bytes int, plain func(string) string) []string {
	var cut []string
	for _, text := range infoFirst(l, texts) {
		cut = append(cut, cutText(text, bytes, plain))
	}
	return cut
}

// diagnose adds a diagnosis, with at most this many items of each list.
func (info *infoObject) diagnose(d api.Diagnosis, most int) {
	l := &infoList{most: most}
	info.Version, info.SessionID, info.Workspace, info.Records = d.Version, infoText(d.SessionID), infoText(d.Workspace), infoText(d.Records)
	info.Projects, info.Plugins, info.Refused, info.Problems, info.Searched = []api.ProjectReport{}, []api.PluginReport{}, nil, []string{}, nil
	for _, p := range infoFirst(l, d.Projects) {
		one := api.ProjectReport{Language: p.Language, Tools: map[string]string{}, Commands: []api.Command{}}
		for _, name := range infoFirst(l, slices.Sorted(maps.Keys(p.Tools))) {
			one.Tools[infoText(name)] = infoText(p.Tools[name])
		}
		// What is missing is among the problems.
		one.Untested = l.texts(p.Untested, infoBytes, prose.Line)
		for _, c := range infoFirst(l, p.Commands) {
			one.Commands = append(one.Commands, api.Command{Argv: infoArgv(c.Argv), Dir: infoText(c.Dir)})
		}
		info.Projects = append(info.Projects, one)
	}
	for _, p := range infoFirst(l, d.Plugins) {
		info.Plugins = append(info.Plugins, api.PluginReport{
			Name: infoText(p.Name), Path: infoText(p.Path), Version: infoText(p.Version), Language: infoText(p.Language), Error: infoText(p.Error),
		})
	}
	for _, r := range infoFirst(l, d.Refused) {
		info.Refused = append(info.Refused, api.RefusedReport{Name: infoText(r.Name), Path: infoText(r.Path), Reason: infoText(r.Reason)})
	}
	broken := func(p api.PluginReport) bool { return p.Error != "" }
	if len(d.Plugins) == 0 || len(d.Refused) > 0 || slices.ContainsFunc(d.Plugins, broken) {
		info.Searched = l.texts(d.Searched, infoBytes, prose.Line)
	}
	info.Problems = append(info.Problems, l.texts(d.Problems, 4*infoBytes, prose.Plain)...)
	if l.left {
		info.Problems = append(info.Problems, fmt.Sprintf("of each list only the first %d are told; `proctor doctor` tells all", most))
	}
}

// remember adds what is on record of the workspace, and returns what is wrong with
// that. Before the first run there is nothing.
func (info *infoObject) remember(ctx context.Context, h *ledger.Keeper, where api.Where) (problems []string) {
	failed := func(err error) bool {
		var none *api.NoRunError
		if err != nil && !errors.As(err, &none) && !slices.Contains(problems, err.Error()) {
			problems = append(problems, err.Error())
		}
		return err != nil
	}
	if list, err := query.Runs(ctx, h, api.RunsRequest{Where: where, Limit: infoLook}); !failed(err) {
		for _, run := range list.Runs {
			if run.State == api.StateRunning && len(info.Running) < infoRuns {
				info.Running = append(info.Running, infoRun{RunID: run.RunID, SessionID: infoText(run.SessionID), Language: infoText(run.Language), AgeS: cutSeconds(run.AgeS)})
			}
		}
		problems = append(problems, textsOf(list.Warnings)...)
	}
	if outstanding, err := query.Outstanding(ctx, h, api.OutstandingRequest{Where: where, Limit: 1}); !failed(err) {
		info.Outstanding, info.outstanding, info.Next = outstanding.Total, outstanding.Counts, nextOf(ctx, h, where, outstanding.Total)
	}
	if note, err := query.Context(ctx, h, where); !failed(err) {
		info.Note = cutText(note.Text, 4*infoBytes, prose.Line)
		info.Recurring, info.RecurringTotal = infoSpot(note.Recurring), note.RecurringTotal
		info.Regressions, info.RegressionsTotal = infoSpot(note.Regressions), note.RegressionsTotal
	}
	return problems
}

// nextOf returns the call that reruns what is outstanding: a session without a run of
// its own must name one.
func nextOf(ctx context.Context, h *ledger.Keeper, where api.Where, outstanding int) string {
	if outstanding == 0 {
		return ""
	}
	_, err := query.FailuresFrom(ctx, h, api.LastRun{Where: where}, 0, 1)
	var none *api.NoRunError
	switch {
	case !errors.As(err, &none):
		return "run_failing_tests runs what is outstanding"
	case none.Earlier != nil && none.Earlier.RunID != "":
		return fmt.Sprintf("run_failing_tests{\"run_id\":%q} runs what is outstanding since then, run_tests everything", none.Earlier.RunID)
	}
	return "run_tests runs everything"
}

// queue adds the session's waiting runs.
func (info *infoObject) queue(d *desk) {
	for _, j := range d.going() {
		s := j.status()
		if s.waiting != nil && len(info.Queued) < infoRuns {
			queued := infoRun{RunID: j.id, AgeS: cutSeconds(time.Since(s.since).Seconds())}
			if s.waiting.RunID != api.Unknown && !s.waiting.Listing {
				queued.WaitsFor = s.waiting.RunID
			}
			info.Queued = append(info.Queued, queued)
		}
	}
}

// infoText returns a text on one line, bounded.
func infoText(text string) string { return cutText(text, infoBytes, prose.Line) }

// infoArguments is how many arguments of a command are shown.
const infoArguments = 20

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
		line("problem", "%s", strings.ReplaceAll(p, "\n", "\n            "))
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
	for _, r := range info.Queued {
		what := "who is busy with the workspace"
		if r.WaitsFor != "" {
			what = "run " + r.WaitsFor
		}
		line("queued", "run %s of this session waits for %s, %s", r.RunID, what, infoAge(r))
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

// infoArgv returns a command of bounded length.
func infoArgv(argv []string) []string {
	var cut []string
	for _, a := range argv[:min(len(argv), infoArguments)] {
		cut = append(cut, cutText(a, infoBytes/4, prose.Line))
	}
	if left := len(argv) - len(cut); left > 0 {
		cut = append(cut, fmt.Sprintf("… [%d more]", left))
	}
	return cut
}

// infoSpot returns the first files, each with only its name and how it stands.
func infoSpot(spots []api.Spot) []api.Spot {
	var cut []api.Spot
	for _, s := range spots[:min(len(spots), infoSpots)] {
		cut = append(cut, api.Spot{
			File: infoText(s.File), Classification: s.Classification, Resolution: s.Resolution, FailedSessions: s.FailedSessions, Recurring: s.Recurring,
		})
	}
	return cut
}
