package job

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/proctorhq/proctor/fleet/internal/source"
	"github.com/proctorhq/proctor/fleet/internal/store"
	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/engine"
)

// Job is a run of one or several languages.
type Job struct {
	ID string
	// Version is that of the proctor that planned the run.
	Version string
	Request api.RunRequest
	// Divisions are the plans, one per language.
	Divisions []engine.Division
	Sources   source.Tree
	// Workspace is where the run was started, and Slots how many were known then.
	Workspace string
	Slots     int
}

// Batch is a part of a job. Attempts at it run on one machine each.
type Batch struct {
	Division, Index int
}

// Batches returns the parts in the order they are handed out.
func (j Job) Batches() []Batch {
	var all []Batch
	for d, division := range j.Divisions {
		for i := range division.Parts {
			all = append(all, Batch{Division: d, Index: i + 1})
		}
	}
	return all
}

// DivisionOf returns the division of a batch.
func (j Job) DivisionOf(b Batch) engine.Division { return j.Divisions[b.Division] }

// jobName is the name of the object that holds a job.

func jobName(id string) string { return jobPrefix(id) + "job.json" }

func jobPrefix(id string) string { return allJobs + id + "/" }

const allJobs = "jobs/"

// SourcesPrefix begins the names of a job's sources. Jobs share none, so that one can be
// removed while others run.
func SourcesPrefix(id string) string { return jobPrefix(id) + "sources/" }

// acceptedName is the name of the object that says which attempt counts.
func acceptedName(id string, batch int) string {
	return acceptedPrefix(id) + fmt.Sprintf("%05d", batch)
}

func acceptedPrefix(id string) string { return "jobs/" + id + "/accepted/" }

// attemptPrefix begins the names of what an attempt found.
func attemptPrefix(id string, batch int, attempt string) string {
	return fmt.Sprintf("%s%05d/%s/", attemptsPrefix(id), batch, attempt)
}

func attemptsPrefix(id string) string { return "jobs/" + id + "/attempts/" }

// unablePrefix begins the names of the objects that say which workers could not run a batch.
func unablePrefix(id string, batch int) string {
	return fmt.Sprintf("%sunable/%05d/", jobPrefix(id), batch)
}

// parseAttempt reads the name of an object of an attempt.
func parseAttempt(id, name string) (batch int, attempt, object string, ok bool) {
	rest, ok := strings.CutPrefix(name, attemptsPrefix(id))
	parts := strings.Split(rest, "/")
	if !ok || len(parts) != 3 {
		return 0, "", "", false
	}
	_, err := fmt.Sscanf(parts[0], "%05d", &batch)
	return batch, parts[1], parts[2], err == nil
}

// Save stores a job.
func (j Job) Save(ctx context.Context, s store.Store) error {
	raw, err := json.Marshal(j)
	if err == nil {
		err = put(ctx, s, jobName(j.ID), raw)
	}
	return err
}

// Load reads a job. What a job has that this version of proctor does not know is an error:
// it would run something else than was asked for.
func Load(ctx context.Context, s store.Store, id, version string) (Job, error) {
	var j Job
	raw, err := get(ctx, s, jobName(id))
	if errors.Is(err, fs.ErrNotExist) {
		return j, fmt.Errorf("the store has no run %s (it was removed, or its store is another): %w", id, err)
	}
	if err != nil {
		return j, fmt.Errorf("run %s of the store cannot be read: %w", id, err)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&j); err != nil {
		var by struct{ Version string }
		_ = json.Unmarshal(raw, &by)
		return j, fmt.Errorf("run %s was planned by proctor %s, and proctor %s does not know all that it asks for (%w): use the same version", id, cmp.Or(by.Version, "of another version"), version, err)
	}
	if j.ID != id {
		return j, fmt.Errorf("what the store has as run %s is another run", id)
	}
	return j, nil
}

// Accept makes an attempt the one that counts, unless another does already, and returns the
// one that counts.
func Accept(ctx context.Context, s store.Store, id string, batch int, attempt string) (string, error) {
	if err := put(ctx, s, acceptedName(id, batch), []byte(attempt)); err != nil {
		return "", err
	}
	return Accepted(ctx, s, id, batch)
}

// Accepted returns the attempt that counts; the error is [fs.ErrNotExist] if none does yet.
func Accepted(ctx context.Context, s store.Store, id string, batch int) (string, error) {
	raw, err := get(ctx, s, acceptedName(id, batch))
	return string(raw), err
}

// NoteUnable notes that a worker could not run a batch, and returns how many others could
// not, either.
func NoteUnable(ctx context.Context, s store.Store, id string, batch int, worker string) (others int, err error) {
	if _, err := store.PutSum(ctx, s, unablePrefix(id, batch), []byte(worker)); err != nil {
		return 0, err
	}
	names, err := s.List(ctx, unablePrefix(id, batch))
	return len(names) - 1, err
}

// Ended returns the batches that have an accepted result.
func Ended(ctx context.Context, s store.Store, id string) (map[int]bool, error) {
	names, err := s.List(ctx, acceptedPrefix(id))
	ended := map[int]bool{}
	for _, name := range names {
		var n int
		if _, err := fmt.Sscanf(strings.TrimPrefix(name, acceptedPrefix(id)), "%05d", &n); err == nil {
			ended[n] = true
		}
	}
	return ended, err
}
