package recorded

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"sync"
)

// RecordConfig says which cases [RecordAll] records.
type RecordConfig struct {
	// Dir is the directory of the cases, Pattern a regular expression for their names.
	Dir, Pattern string
	// Jobs is how many cases are recorded at the same time.
	Jobs int
	// OnlyNew leaves out cases that have a recording.
	OnlyNew bool
	// Log receives one line per case.
	Log io.Writer
}

// RecordAll calls record for each case. A case that fails does not stop the others.
func RecordAll[M, W any](ctx context.Context, cfg RecordConfig, record func(context.Context, Case[M, W]) error) error {
	re, err := regexp.Compile(cfg.Pattern)
	if err != nil {
		return err
	}
	cases, err := Load[M, W](cfg.Dir)
	if err != nil {
		return err
	}
	slots := make(chan struct{}, max(1, cfg.Jobs))
	var wait sync.WaitGroup
	var mu sync.Mutex
	failed := 0
	for _, c := range cases {
		if !re.MatchString(c.Name) || cfg.OnlyNew && c.isRecorded() {
			continue
		}
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			err := record(ctx, c)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failed++
				fmt.Fprintf(cfg.Log, "%-40s %v\n", c.Name, err)
				return
			}
			fmt.Fprintf(cfg.Log, "%-40s recorded\n", c.Name)
		})
	}
	wait.Wait()
	if failed > 0 {
		return fmt.Errorf("%d cases could not be recorded", failed)
	}
	return nil
}

func (c Case[M, W]) isRecorded() bool {
	_, err := c.Stream("stdout")
	return err == nil
}
