package engine

import (
	"context"
	"fmt"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/quarantine"
	"github.com/proctorhq/proctor/host/shard"
)

// Division is the plan of a run in parts, made once, for machines that communicate.
type Division struct {
	shard.Plan
	// Tests counts the tests of all parts. Setting is the environment of the machine that
	// made the plan, Settings what it consists of, by name, as hashes that reveal nothing;
	// Quarantine is what is in quarantine there.
	Tests      int
	Setting    string
	Settings   map[string]string
	Quarantine []quarantine.Entry
}

// Splitter divides suites into parts.
type Splitter func(suites []shard.Suite, timings shard.Timings) [][]shard.Piece

// Divide plans a run of each detected language in parts, which [RunPart] runs. It lists
// tests and runs none.
func Divide(ctx context.Context, k *ledger.Keeper, req api.RunRequest, split Splitter) ([]Division, error) {
	if req.Shard == "" {
		req.Shard = "1/1" // what cannot be a shard cannot be divided
	}
	projects, err := findProjects(ctx, k, req.Where, req.Languages, req.OneLanguage)
	if err != nil {
		return nil, err
	}
	launches, err := newLaunches(k, projects, req)
	if err != nil {
		return nil, err
	}
	var all []Division
	for _, l := range launches {
		if err := l.open(); err != nil {
			return nil, err
		}
		timings, err := project.ReadTimings(req.Timings, l.project.ID.Language)
		if err != nil {
			return nil, err
		}
		plan, err := l.plan(ctx)
		if err == nil {
			err = plan.Err
		}
		if err != nil {
			return nil, err
		}
		d, err := sharding{plan, l}.divide(ctx, timings, split)
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}

// RunPart runs a part of a division; they count from 1. It runs nothing, and returns a
// [*OtherMachineError], if the sources or the environment are not those of the division.
func RunPart(ctx context.Context, k *ledger.Keeper, req api.RunRequest, d Division, index int, listeners ...api.Listener) (api.Run, error) {
	req.Shard, req.Languages, req.Timings = fmt.Sprintf("%d/%d", index, len(d.Parts)), []string{d.Language}, ""
	runs, err := runAll(ctx, k, req, &d, listeners)
	if err != nil {
		return api.Run{}, err
	}
	return runs[0], nil
}

// OtherMachineError reports that a machine cannot run parts of a division.
type OtherMachineError struct {
	// What differs: the sources, or the environment.
	What string
}

func (e *OtherMachineError) Error() string {
	return e.What + " differs from that of the machine that planned the run"
}

// checkDivision returns an error if a part of a division cannot run here.
func (p sharding) checkDivision(ctx context.Context, d Division) error {
	asked := d.Plan
	if asked.Selection = p.Run.Selection; asked.Digest() != d.Digest() {
		return &OtherMachineError{What: "what is selected here, by the settings of the runner"}
	}
	if p.findFingerprint(ctx) != d.Fingerprint {
		return &OtherMachineError{What: "the state of the sources here"}
	}
	if p.Project.Setting(p.settings()) != d.Setting {
		return &OtherMachineError{What: "the environment here (" + project.NameDifferences(d.Settings, p.Project.HashSettings(p.settings())) + ")"}
	}
	return nil
}
