package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"

	"github.com/proctorhq/proctor/bench/internal/measure"
	"github.com/proctorhq/proctor/bench/internal/stream"
)

// checkProctor checks that proctor's counts are right: speed alone is worth nothing.
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
		return fmt.Errorf("proctor ingest --dry-run --json: %w", err)
	}
	if c := run.Counts; c.Passed != want.Passed || c.Failed != want.Failed || c.Skipped != want.Skipped || c.Unfinished != want.Unfinished {
		return fmt.Errorf("proctor counts %+v, but the stream has %+v", c, want)
	}
	return nil
}

var sumPattern = regexp.MustCompile(`(?m)^DONE (\d+) tests`)

// checkGotestsum does the same for gotestsum, which also counts parents.
func (b *bench) checkGotestsum(ctx context.Context, sum measure.Command, want stream.Count) error {
	out, err := measure.Output(ctx, sum)
	if err != nil {
		return err
	}
	m := sumPattern.FindSubmatch(out)
	if m == nil {
		return errors.New("gotestsum did not print the number of tests")
	}
	if got, _ := strconv.Atoi(string(m[1])); got != want.Passed+want.Skipped+want.FailEvents {
		return fmt.Errorf("gotestsum counts %d tests, but the stream has %+v", got, want)
	}
	return nil
}

// checkJQ does the same for jq, which prints a line for each failure.
func checkJQ(ctx context.Context, query measure.Command, want stream.Count) error {
	out, err := measure.Output(ctx, query)
	if err != nil {
		return err
	}
	if got := bytes.Count(out, []byte("\n")); got != want.FailEvents {
		return fmt.Errorf("jq finds %d failures, but the stream has %+v", got, want)
	}
	return nil
}
