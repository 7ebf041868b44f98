package session

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"github.com/proctorhq/proctor/host/record"
)

// The files of a run's folder.
const (
	runFile      = "run.json"
	resultsFile  = "results.jsonl"
	failuresFile = "failures.jsonl"
	aliveFile    = "alive"
)

// StreamNames name the output streams of a command in its record.
var StreamNames = [2]string{"stdout", "stderr"}

// maxRecord bounds the recorded output of one stream of one command. `proctor
// output` and the second reading after a plugin crash need it whole; at a
// quarter of a gigabyte nobody reads on, and a flood must not fill the disk.
const maxRecord = 256 << 20

// Recorder writes the record of one run as it happens.
type Recorder struct {
	dir      string
	alive    *flock.Flock
	results  *lines
	failures *lines
	streams  []*Stream
}

// Record begins the record of a run: from now on it is on disk, as running.
func (s *Store) Record(run record.Run) (*Recorder, error) {
	dir := filepath.Join(s.dir, "runs", run.RunID)
	r := &Recorder{dir: dir}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, &StoreError{Path: dir, Err: err}
	}
	// Held as long as this process lives: the operating system lets go of it,
	// however the process ends.
	r.alive = flock.New(filepath.Join(dir, aliveFile))
	if err := r.alive.Lock(); err != nil {
		return nil, &StoreError{Path: r.alive.Path(), Err: err}
	}
	if err := r.write(run); err != nil {
		return nil, err
	}
	var err error
	if r.results, err = newLines(filepath.Join(dir, resultsFile)); err != nil {
		return nil, err
	}
	if r.failures, err = newLines(filepath.Join(dir, failuresFile)); err != nil {
		r.results.close()
		return nil, err
	}
	return r, nil
}

// Result appends a test's result.
func (r *Recorder) Result(res record.Result) { r.results.add(res) }

// Failure appends a failure, and sees to it that it is on disk now.
func (r *Recorder) Failure(f record.Failure) {
	r.failures.add(f)
	r.failures.flush()
}

// Stream opens the record of one output stream ("stdout", "stderr") of the
// run's command number n.
func (r *Recorder) Stream(n int, name string) (*Stream, error) {
	path := streamPath(r.dir, n, name)
	f, err := os.Create(path)
	if err != nil {
		return nil, &StoreError{Path: path, Err: err}
	}
	st := &Stream{f: f, left: maxRecord}
	r.streams = append(r.streams, st)
	return st, nil
}

// Rewrite keeps only the results and failures for which keep says so. A rerun
// uses it when a second command has decided about tests again.
func (r *Recorder) Rewrite(keepResult func(record.Result) bool, keepFailure func(record.Failure) bool) error {
	return errors.Join(
		rewrite(r.results, keepResult),
		rewrite(r.failures, keepFailure),
	)
}

// Failures calls yield with every failure recorded so far.
func (r *Recorder) Failures(yield func(record.Failure) bool) error {
	r.failures.flush()
	return readLines(r.failures.path, yield)
}

// Finish ends the record. Its error says that the record is not complete; the
// run itself is what it is.
func (r *Recorder) Finish(run record.Run) error {
	errs := []error{r.results.close(), r.failures.close()}
	for _, st := range r.streams {
		errs = append(errs, st.close())
	}
	errs = append(errs, r.write(run), r.alive.Unlock())
	return errors.Join(errs...)
}

func (r *Recorder) write(run record.Run) error {
	path := filepath.Join(r.dir, runFile)
	raw, err := json.Marshal(run)
	if err == nil {
		err = replaceFile(path, raw)
	}
	if err != nil {
		return &StoreError{Path: path, Err: err}
	}
	return nil
}

// StreamPaths are the records of both output streams of a run's command number
// n; ok is false when the command never ran.
func (s *Store) StreamPaths(runID string, n int) (paths [2]string, ok bool) {
	for i, name := range StreamNames {
		paths[i] = streamPath(filepath.Join(s.dir, "runs", runID), n, name)
		if _, err := os.Stat(paths[i]); err != nil {
			return paths, false
		}
	}
	return paths, true
}

func streamPath(dir string, n int, name string) string {
	return filepath.Join(dir, fmt.Sprintf("%d-%s", n, name))
}

// Stream records one output stream up to a bound. Write never fails: a record
// that cannot be kept must not stop the run.
type Stream struct {
	f    *os.File
	left int64
	cut  bool
	err  error
}

func (s *Stream) Write(p []byte) (int, error) {
	keep := p
	if int64(len(keep)) > s.left {
		keep, s.cut = keep[:s.left], true
	}
	if len(keep) > 0 && s.err == nil {
		_, s.err = s.f.Write(keep)
		s.left -= int64(len(keep))
	}
	return len(p), nil
}

// Whole tells whether everything written is on record.
func (s *Stream) Whole() bool { return !s.cut && s.err == nil }

// Path is where the record lies.
func (s *Stream) Path() string { return s.f.Name() }

func (s *Stream) close() error {
	if err := s.f.Close(); s.err == nil {
		s.err = err
	}
	return s.err
}

// lines writes one JSON object a line. The first error sticks and is told at
// the end.
type lines struct {
	path string
	f    *os.File
	w    *bufio.Writer
	enc  *json.Encoder
	err  error
}

func newLines(path string) (*lines, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, &StoreError{Path: path, Err: err}
	}
	l := &lines{path: path}
	l.use(f)
	return l, nil
}

func (l *lines) use(f *os.File) {
	l.f = f
	l.w = bufio.NewWriterSize(f, 64<<10)
	l.enc = json.NewEncoder(l.w)
	l.enc.SetEscapeHTML(false)
}

func (l *lines) add(v any) {
	if l.err == nil {
		l.err = l.enc.Encode(v)
	}
}

func (l *lines) flush() {
	if l.err == nil {
		l.err = l.w.Flush()
	}
}

func (l *lines) close() error {
	l.flush()
	if err := l.f.Close(); l.err == nil {
		l.err = err
	}
	if l.err != nil {
		return &StoreError{Path: l.path, Err: l.err}
	}
	return nil
}

// rewrite replaces a file of lines by those that keep selects, and goes on
// writing at its end.
func rewrite[T any](l *lines, keep func(T) bool) error {
	l.flush()
	tmp, err := os.CreateTemp(filepath.Dir(l.path), ".tmp-*")
	if err != nil {
		return &StoreError{Path: l.path, Err: err}
	}
	next := &lines{path: l.path}
	next.use(tmp)
	err = readLines(l.path, func(item T) bool {
		if keep(item) {
			next.add(item)
		}
		return next.err == nil
	})
	if err = errors.Join(err, next.err); err == nil {
		err = os.Rename(tmp.Name(), l.path)
	}
	if err != nil {
		tmp.Close()
		os.Remove(tmp.Name())
		return &StoreError{Path: l.path, Err: err}
	}
	l.f.Close()
	*l = *next
	return nil
}
