package query

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/sdk"
)

// maxReread bounds how many bytes of a record are reread to find what a run's tests printed,
// which takes reading its whole output once for each suite.
const maxReread = 64 << 20

// PrintedPage reads a part of what the tests of a run printed, suite by suite and without
// the events in which runners wrap it, followed by standard error. ok is false if the
// plugin cannot extract it, or if that would take long; [StreamPage] then has what the
// runner wrote.
func PrintedPage(ctx context.Context, k *ledger.Keeper, req api.LastRun, offset int64, most int) (page api.StreamPage, ok bool, err error) {
	run, led, err := ledger.Lookup(ctx, k, req)
	if err != nil {
		return page, false, err
	}
	page.Run = run
	if run.State == api.StateRunning {
		return page, false, nil
	}
	suites, err := listSuites(ctx, led, run.RunID)
	if err != nil || len(suites) == 0 {
		return page, false, err
	}
	var out, errs int64
	recorded := false
	var stderr strings.Builder
	for n := range run.Commands {
		paths, ok := artifacts.StreamPaths(led.Artifacts, run.RunID, n)
		if !ok {
			continue // the command never ran
		}
		recorded = true
		for i, path := range paths {
			st, err := os.Stat(path)
			if err != nil {
				return page, false, fmt.Errorf("reading the recorded output: %w", err)
			}
			if i == 0 {
				out += st.Size()
				continue
			}
			if errs += st.Size(); errs > maxReread {
				return page, false, nil
			}
			if err := appendFile(&stderr, path); err != nil {
				return page, false, err
			}
		}
	}
	if !recorded || out*int64(len(suites)) > maxReread {
		return page, false, nil
	}
	printed, ok, err := readPrinted(ctx, k, led, run, suites)
	if err != nil || !ok || printed == "" && out > 0 {
		return page, false, err
	}
	text := printed + stderr.String()
	page.StderrAt, page.Total = int64(len(printed)), int64(len(text))
	page.Offset, page.Text = CutPage(text, offset, most)
	return page, true, ctx.Err()
}

// readPrinted returns what the tests of some suites printed; ok is false if the plugin
// does not say.
func readPrinted(ctx context.Context, k *ledger.Keeper, led *ledger.Ledger, run api.Run, suites []string) (text string, ok bool, err error) {
	projects, err := k.Projects(ctx, api.Where{Dir: run.Workspace, Exact: true}, []string{run.Language})
	if err != nil || !projects[0].ID.OutputOf {
		return "", false, ctx.Err() // the project may be gone: the stream is still there
	}
	var tests []sdk.TestID
	for _, suite := range suites {
		tests = append(tests, sdk.TestID{Suite: suite})
	}
	var b strings.Builder
	err = feedPrinted(ctx, projects[0], led.Artifacts, run, tests, func(data []byte) {
		if b.Len() <= maxReread {
			b.Write(data)
		}
	})
	return b.String(), err == nil && b.Len() <= maxReread, err
}

// listSuites returns the suites of a run in recorded order.
func listSuites(ctx context.Context, led *ledger.Ledger, runID string) ([]string, error) {
	var suites []string
	known := map[string]bool{"": true} // without results of no suite
	add := func(suite string) bool {
		if !known[suite] {
			known[suite] = true
			suites = append(suites, suite)
		}
		return ctx.Err() == nil
	}
	err := led.Artifacts.Results(runID, func(r api.Result) bool { return add(r.Suite) })
	if err == nil {
		err = led.Artifacts.Failures(runID, func(f api.Failure) bool { return add(f.Suite) })
	}
	return suites, err
}

func appendFile(b *strings.Builder, path string) error {
	f, err := os.Open(path)
	if err == nil {
		_, err = io.Copy(b, f)
		f.Close()
	}
	if err != nil {
		return fmt.Errorf("reading the recorded output: %w", err)
	}
	return nil
}

// StreamPage reads a part of a run's recorded output: at most most bytes from offset on. A
// negative offset counts from the end. It starts no plugin.
func StreamPage(ctx context.Context, k *ledger.Keeper, req api.LastRun, stream api.Stream, offset int64, most int) (api.StreamPage, error) {
	run, led, err := ledger.Lookup(ctx, k, req)
	if err != nil {
		return api.StreamPage{}, err
	}
	page := api.StreamPage{Run: run, Unrecorded: len(run.Commands) > 0}
	var paths [2][]string
	for n := range run.Commands {
		if two, ok := artifacts.StreamPaths(led.Artifacts, run.RunID, n); ok {
			page.Unrecorded = false
			paths[0], paths[1] = append(paths[0], two[0]), append(paths[1], two[1])
		}
	}
	var s segments
	defer func() { s.close() }()
	for i, of := range []api.Stream{api.Stdout, api.Stderr} {
		if i == 1 {
			page.StderrAt = s.size
		}
		if stream != of && stream != api.BothStreams {
			continue
		}
		for _, path := range paths[i] {
			if err := s.add(path); err != nil {
				return page, err
			}
		}
	}
	page.Total = s.size
	page.Offset, page.Text, err = s.readPage(offset, most)
	if err != nil {
		return page, fmt.Errorf("reading the recorded output: %w", err)
	}
	return page, ctx.Err()
}

// CutPage returns a part of a text like [StreamPage].
func CutPage(text string, offset int64, most int) (start int64, part string) {
	from, to := pageBounds(offset, most, int64(len(text)))
	return trimToRunes(from, to, int64(len(text)), []byte(text[from:to]))
}

// pageBounds returns the bounds of a part before [trimToRunes].
func pageBounds(offset int64, most int, total int64) (from, to int64) {
	if offset < 0 {
		offset = max(total+offset, 0)
	}
	from = min(offset, total)
	// Even the shortest part has room for any character, so that paging advances.
	return from, min(from+int64(max(most, utf8.UTFMax)), total)
}

// trimToRunes trims incomplete UTF-8 characters at both ends of a part.
func trimToRunes(from, to, total int64, part []byte) (int64, string) {
	for from > 0 && len(part) > 0 && to-from-int64(len(part)) < utf8.UTFMax-1 && !utf8.RuneStart(part[0]) {
		part = part[1:]
	}
	start := to - int64(len(part))
	if to == total {
		return start, string(part)
	}
	for i := len(part) - 1; i > 0 && i >= len(part)-utf8.UTFMax; i-- {
		if utf8.RuneStart(part[i]) {
			if !utf8.FullRune(part[i:]) {
				part = part[:i]
			}
			break
		}
	}
	return start, string(part)
}

// segments are files read as one.
type segments struct {
	files []*os.File
	sizes []int64
	size  int64
}

func (s *segments) add(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("reading the recorded output: %w", err)
	}
	s.files = append(s.files, f)
	st, err := f.Stat()
	if err != nil {
		return fmt.Errorf("reading the recorded output: %w", err)
	}
	s.sizes = append(s.sizes, st.Size())
	s.size += st.Size()
	return nil
}

func (s *segments) close() {
	for _, f := range s.files {
		f.Close()
	}
}

// readPage reads a part.
func (s *segments) readPage(offset int64, most int) (int64, string, error) {
	from, to := pageBounds(offset, most, s.size)
	part := make([]byte, 0, to-from)
	begins := int64(0)
	for i, f := range s.files {
		ends := begins + s.sizes[i]
		if from < ends && to > begins {
			first, last := max(from, begins), min(to, ends)
			piece := make([]byte, last-first)
			if _, err := f.ReadAt(piece, first-begins); err != nil && err != io.EOF {
				return from, "", err
			}
			part = append(part, piece...)
		}
		begins = ends
	}
	start, text := trimToRunes(from, to, s.size, part)
	return start, text, nil
}
