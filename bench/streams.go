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
	"regexp"
	"strconv"

	"github.com/proctorhq/proctor/bench/internal/measure"
	"github.com/proctorhq/proctor/bench/internal/stream"
)

// seed makes the streams the same everywhere.
const seed = 20261121

// The peaks that a process may reach.
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
	// compare: the goals about gotestsum's time are about this one.
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

// streams measures how recorded outputs are read.
func (b *bench) streams(ctx context.Context) error {
	const minCPU, minWall = 3, 4
	var peaksM1 [len(proctorPrograms)]int64
	for _, s := range recordedStreams() {
		path, count, err := b.streamFile(s)
		if err != nil {
			return err
		}
		fmt.Fprintf(b.log, "%s: %d events, %d MB, %d failed tests\n", s.name, count.Events, count.Bytes/1e6, count.Failed)
		read := b.proctor(b.dir, "parse", "--plugin", "go", path)
		sum := b.sum(b.dir, "--raw-command", "--", "cat", path)
		read.Watch, sum.Watch = true, true
		if count.Failed > 0 {
			read.Exits = []int{1} // gotestsum's exit code is that of cat
		}
		if err := errors.Join(b.checkProctor(ctx, read, count), b.checkSum(ctx, sum, count)); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		r, err := measure.Contest(ctx, b.turns,
			measure.Contender{Name: "proctor", Command: read}, measure.Contender{Name: "gotestsum", Command: sum})
		if err != nil {
			return err
		}
		if s.compare {
			b.atLeast(s.name+": gotestsum's CPU to proctor's", r.Ratio(1, 0, measure.CPU), minCPU)
			b.atLeast(s.name+": gotestsum's wall time to proctor's", r.Ratio(1, 0, measure.Wall), minWall)
		}
		for i, program := range proctorPrograms {
			peak := r.Peak(0, program)
			b.within(fmt.Sprintf("%s: peak of %s", s.name, program), float64(peak)/mib, float64(s.peak)/mib, "MiB")
			switch s.name {
			case "m1":
				peaksM1[i] = peak
			case "m5":
				b.atMost(fmt.Sprintf("m5 to m1: peak of %s", program), float64(peak)/float64(peaksM1[i]), maxGrowth)
			}
		}
		b.note(fmt.Sprintf("read %s (%s, %d MB)", s.name, s.what, count.Bytes/1e6), r)
	}
	return nil
}

// streamFile writes a stream to a file, or finds the one of an earlier round.
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

// checkProctor sees to it that what is fast is also right.
func (b *bench) checkProctor(ctx context.Context, read measure.Command, want stream.Count) error {
	read.Argv = append(read.Argv[:len(read.Argv):len(read.Argv)], "--json")
	out, err := measure.Output(ctx, read)
	if err != nil {
		return err
	}
	var run struct {
		Counts struct{ Passed, Failed, Skipped, Unfinished int }
	}
	if err := json.Unmarshal(out, &run); err != nil {
		return fmt.Errorf("proctor parse --json: %w", err)
	}
	if c := run.Counts; c.Passed != want.Passed || c.Failed != want.Failed || c.Skipped != want.Skipped || c.Unfinished != 0 {
		return fmt.Errorf("proctor counts %+v, the stream holds %+v", c, want)
	}
	return nil
}

var sumPattern = regexp.MustCompile(`(?m)^DONE (\d+) tests`)

// checkSum does the same for gotestsum, which counts parents too.
func (b *bench) checkSum(ctx context.Context, sum measure.Command, want stream.Count) error {
	out, err := measure.Output(ctx, sum)
	if err != nil {
		return err
	}
	m := sumPattern.FindSubmatch(out)
	if m == nil {
		return errors.New("gotestsum prints no number of tests")
	}
	if got, _ := strconv.Atoi(string(m[1])); got != want.Passed+want.Skipped+want.FailEvents {
		return fmt.Errorf("gotestsum counts %d tests, the stream holds %+v", got, want)
	}
	return nil
}
