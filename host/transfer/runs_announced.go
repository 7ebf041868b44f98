package transfer

import (
	"archive/tar"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
)

// readHeader reads the header and makes room for what it announces.
func (in *intake) readHeader(entries *tar.Reader) error {
	head, err := entries.Next()
	if err != nil {
		return fmt.Errorf("it is no archive of runs (%w)", cut(err))
	}
	if head.Typeflag != tar.TypeReg || head.Name != archiveHeaderName || head.Size > maxArchiveHeader {
		return fmt.Errorf("it is no archive of runs: it does not begin with %s", archiveHeaderName)
	}
	raw, err := io.ReadAll(entries)
	if err != nil {
		return fmt.Errorf("its header cannot be read: %w", cut(err))
	}
	if err := json.Unmarshal(raw, &in.header); err != nil {
		return fmt.Errorf("its header cannot be read: %w", err)
	}
	h := &in.header
	if newer, ok := strings.CutPrefix(h.Schema, "proctor.export/"); ok && h.Schema != api.ExportSchema {
		return fmt.Errorf("it is a %s archive (%q) of proctor %s, and this proctor reads %s: use a newer one", "newer", ledger.Excerpt(newer), ledger.Excerpt(h.Proctor), api.ExportSchema)
	}
	if h.Schema != api.ExportSchema {
		return fmt.Errorf("it is no archive of runs: its schema is %q", ledger.Excerpt(h.Schema))
	}
	if len(h.Runs) == 0 || len(h.Runs) > maxArchiveRuns || len(h.States) > len(h.Runs) || len(h.Files) > maxArchiveFiles {
		return fmt.Errorf("it announces %d runs, %d states and %d files", len(h.Runs), len(h.States), len(h.Files))
	}
	if err := in.announced(); err != nil {
		return err
	}
	return in.room()
}

// announced looks at what the header announces.
func (in *intake) announced() error {
	in.byID, in.stateOf, in.states = map[string]*arrival{}, map[string]archivedState{}, map[string]fingerprint.State{}
	for _, r := range in.header.Runs {
		if !artifacts.IsRunID(r.RunID) || len(r.RunID) != artifacts.RunIDLength || in.byID[r.RunID] != nil || r.Results < 0 {
			return fmt.Errorf("it announces the run %q, which cannot be one, or twice", ledger.Excerpt(r.RunID))
		}
		a := &arrival{object: api.Run{RunID: r.RunID}, whole: r.Whole, count: r.Results, seen: map[string]bool{}}
		in.byID[r.RunID], in.runs = a, append(in.runs, a)
	}
	for _, s := range in.header.States {
		if _, twice := in.stateOf[s.ID]; twice || !isStateID(s.ID) || max(len(s.Kind), len(s.Commit), len(s.Branch)) > maxArchiveWord {
			return fmt.Errorf("it announces the source state %q, which cannot be one, or twice", ledger.Excerpt(s.ID))
		}
		in.stateOf[s.ID] = s
	}
	var total, states int64
	names := map[string]bool{}
	for _, f := range in.header.Files {
		part, ok := entryOf(f.Name)
		_, hasState := in.stateOf[part.state]
		if !ok || names[f.Name] || part.run != "" && in.byID[part.run] == nil || part.state != "" && !hasState {
			return fmt.Errorf("it announces the file %q, which no archive of these runs has", ledger.Excerpt(f.Name))
		}
		if f.Size < 0 || f.Size > part.most() {
			return fmt.Errorf("it announces %d bytes for %s: at most %d are taken", f.Size, f.Name, part.most())
		}
		names[f.Name] = true
		total += f.Size
		if part.state != "" {
			states += f.Size
		}
	}
	if total > maxArchiveBytes || states > maxArchiveStates {
		return fmt.Errorf("it announces %d bytes, %d of them source states: at most %d and %d are taken", total, states, int64(maxArchiveBytes), int64(maxArchiveStates))
	}
	return nil
}

// room makes a place for each run.
func (in *intake) room() error {
	for id, a := range in.byID {
		if err := in.stage.Add(id); err != nil {
			return err
		}
		spool, err := in.stage.Spool()
		if err != nil {
			return err
		}
		a.spool, in.spools = spool, append(in.spools, spool)
	}
	return nil
}
