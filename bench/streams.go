package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/proctorhq/proctor/bench/internal/measure"
	"github.com/proctorhq/proctor/bench/internal/stream"
)

// seed makes the streams the same everywhere.
const seed = 20261121

// Peak memory that a process may reach.
const (
	maxPeak     = 40 * mib
	maxPeakLive = 128 * mib // 200,000 tests are alive at once
	// maxGrowth is how much more memory a five times longer output may take.
	maxGrowth = 1.25
)

// recorded is a stream to be read by programs.
type recorded struct {
	name string
	what string
	peak int64
	// compare reports whether the goals about gotestsum's time apply.
	compare bool
	write   func(*stream.Recording, io.Writer) (stream.Count, error)
}

func recordedStreams() []recorded {
	suites := func(events int) func(*stream.Recording, io.Writer) (stream.Count, error) {
		return func(r *stream.Recording, w io.Writer) (stream.Count, error) { return r.Suites(w, seed, events) }
	}
	return []recorded{
		{"m1", "1 M events", maxPeak, true, suites(1_000_000)},
		{"m5", "5 M events", maxPeak, true, suites(5_000_000)},
		{"v1", "1 M events, mostly logs", maxPeak, false, func(r *stream.Recording, w io.Writer) (stream.Count, error) { return r.Logs(w, seed, 1_000_000) }},
		{"allfail", "200 k failing tests", maxPeak, false, func(r *stream.Recording, w io.Writer) (stream.Count, error) { return r.AllFail(w, 200_000) }},
		{"live", "200 k paused subtests", maxPeakLive, false, func(r *stream.Recording, w io.Writer) (stream.Count, error) { return r.Live(w, 200_000) }},
	}
}

// The programs in proctor's process tree.
var proctorPrograms = [...]string{"proctor", "proctor-plugin-go"}

// measureStreams measures how recorded outputs are read.
func measureStreams(ctx context.Context, b *bench) error {
	const minCPU, minWall = 3, 4
	var peaksM1 [len(proctorPrograms)]int64
	if err := b.checkPeers(); err != nil {
		return err
	}
	for _, s := range recordedStreams() {
		if b.quick && s.name != "m1" {
			break
		}
		path, count, err := b.streamFile(s)
		if err != nil {
			return err
		}
		fmt.Fprintf(b.log, "%s: %d events, %d MB, %d failed tests\n", s.name, count.Events, count.Bytes/1e6, count.Failed)
		read := b.proctor(b.dir, "ingest", "--dry-run", "--plugin", "go", path)
		sum := b.runGotestsum(b.dir, "--raw-command", "--", "cat", path)
		read.Watch, sum.Watch = true, true
		if count.Failed > 0 {
			read.Exits = []int{1} // gotestsum's exit code is that of cat
		}
		if err := errors.Join(b.checkProctor(ctx, read, count), b.checkGotestsum(ctx, sum, count)); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		contenders := b.readers(s, path, read, sum)
		if len(contenders) > atJQ {
			if err := checkJQ(ctx, contenders[atJQ].Command, count); err != nil {
				return err
			}
		}
		r, err := measure.Contest(ctx, b.turns, contenders...)
		if err != nil {
			return err
		}
		if s.compare {
			b.atLeast(s.name+": gotestsum's CPU to proctor's", r.Ratio(1, 0, measure.CPU), minCPU)
			b.addRow("read "+s.what+", CPU", medians(r, measure.CPU))
			b.atLeast(s.name+": gotestsum's wall time to proctor's", r.Ratio(1, 0, measure.Wall), minWall)
			b.addRow("read "+s.what+", wall", medians(r, measure.Wall))
		}
		for i, program := range proctorPrograms {
			peak := r.Peak(0, program)
			b.within(fmt.Sprintf("%s: peak of %s", s.name, program), float64(peak)/mib, float64(s.peak)/mib, "MiB")
			if program == "proctor" { // once, for both together
				b.addRow("read "+s.what+", peaks added up; the goal is about proctor's own", memories(r))
			}
			switch s.name {
			case "m1":
				peaksM1[i] = peak
			case "m5":
				b.atMost(fmt.Sprintf("m5 to m1: peak of %s", program), float64(peak)/float64(peaksM1[i]), maxGrowth)
			}
		}
		b.addFigures(fmt.Sprintf("read %s (%s, %d MB)", s.name, s.what, count.Bytes/1e6), r)
	}
	return nil
}

// atJQ is the index of jq among the readers of a stream.
const atJQ = 3

// readers returns the programs that read a stream. Those that hold all events, or take many
// times as long as the others, read only the first stream.
func (b *bench) readers(s recorded, path string, read, sum measure.Command) []measure.Contender {
	all := []measure.Contender{{Name: "proctor", Command: read}, {Name: "gotestsum", Command: sum}}
	if s.name != "m1" {
		return all
	}
	table := measure.Command{Argv: []string{b.tparse, "-file", path}, Dir: b.dir, Watch: true, Exits: []int{1}}
	query := measure.Command{Argv: []string{"jq", "-c", failedEvents, path}, Dir: b.dir, Watch: true}
	return append(all, measure.Contender{Name: "tparse", Command: table}, measure.Contender{Name: "jq", Command: query})
}

// streamFile writes a stream to a file, or finds the file of an earlier round.
func (b *bench) streamFile(s recorded) (path string, count stream.Count, err error) {
	path = filepath.Join(b.dir, s.name+".jsonl")
	counted := path + ".count"
	if raw, err := os.ReadFile(counted); err == nil {
		return path, count, json.Unmarshal(raw, &count)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return path, count, err
	}
	f, err := os.Create(path)
	if err != nil {
		return path, count, err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	count, err = s.write(b.recording, w)
	if err = errors.Join(err, w.Flush(), f.Close()); err != nil {
		return path, count, fmt.Errorf("write stream %s: %w", s.name, err)
	}
	raw, err := json.Marshal(count)
	if err != nil {
		return path, count, err
	}
	return path, count, os.WriteFile(counted, raw, 0o644)
}
