package artifacts

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/atomicfile"
)

// unwrittenFile says that a run ended, but the end could not be written. It is empty, for
// which even a full disk has room.
const unwrittenFile = "unwritten"

// markUnwritten creates it if possible. On a file system without room for one more file,
// the empty file that marks the run as in progress becomes it.
func (r *Recorder) markUnwritten() {
	word := filepath.Join(r.dir, unwrittenFile)
	f, err := os.OpenFile(word, os.O_WRONLY|os.O_CREATE|os.O_EXCL|noFollow, 0o644)
	if err == nil {
		f.Close()
	} else if !errors.Is(err, os.ErrExist) {
		_ = os.Rename(filepath.Join(r.dir, aliveFile), word)
	}
}

// IsUnwritten reports whether a run reached an end that could not be written.
func IsUnwritten(s *Store, id string) bool {
	dir, ok := s.runDir(id)
	return ok && isEmpty(filepath.Join(dir, unwrittenFile))
}

// LastUnwritten returns the id of the latest run whose end could not be written; empty if
// none is known.
func LastUnwritten(s *Store) string {
	names, _ := s.names()
	var last api.Run
	for _, name := range names {
		if run, err := s.Object(name); err == nil && isOfSession(s, run) && IsUnwritten(s, name) && run.StartedAt.After(last.StartedAt) {
			last = run
		}
	}
	return last.RunID
}

// The files of a run's folder.
const (
	runFile      = "run.json"
	resultsFile  = "results.jsonl"
	failuresFile = "failures.jsonl"
	aliveFile    = "alive"
	// surroundingsFile has the environment in detail, for questions about what differed.
	// It is not exported.
	surroundingsFile = "environment.json"
)

// StreamNames name the output streams of a command in its record.
var StreamNames = [2]string{"stdout", "stderr"}

// maxRecord bounds the recorded output of one stream of one command, in bytes. `proctor
// output` and the second reading after a plugin crash need it whole, but a flood must not
// fill the disk.
const maxRecord = 256 << 20

// Recorder writes the record of one run as it happens.
type Recorder struct {
	dir       string
	workspace string
	store     *Store // nil if only the object is written
	alive     *flock.Flock
	results   *lines
	failures  *lines
	streams   []*Stream
}

// NewRecorder begins the record of a run: from now on it is on disk, as running.
func NewRecorder(s *Store, run api.Run) (*Recorder, error) {
	dir := filepath.Join(s.dir, runsDir, run.RunID)
	r := &Recorder{dir: dir, workspace: s.cfg.Workspace, store: s}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, &StoreError{Path: dir, Err: err}
	}
	if err := r.begin(run); err != nil {
		r.drop()
		return nil, err
	}
	return r, nil
}

func (r *Recorder) begin(run api.Run) (err error) {
	// The operating system releases it however the process ends.
	r.alive = flock.New(filepath.Join(r.dir, aliveFile), flock.SetFlag(os.O_CREATE|os.O_RDWR|noFollow))
	if err := r.alive.Lock(); err != nil {
		return &StoreError{Path: r.alive.Path(), Err: err}
	}
	if err := r.write(run, visible); err != nil {
		return err
	}
	if r.results, err = newLines(filepath.Join(r.dir, resultsFile)); err != nil {
		return err
	}
	r.failures, err = newLines(filepath.Join(r.dir, failuresFile))
	return err
}

// Withdraw removes the record of a run that turned out to run nothing.
func (r *Recorder) Withdraw() {
	for _, st := range r.streams {
		st.close()
	}
	r.drop()
}

// drop closes and removes the record.
func (r *Recorder) drop() {
	for _, l := range []*lines{r.results, r.failures} {
		if l != nil {
			l.close()
		}
	}
	r.alive.Unlock()
	os.RemoveAll(r.dir)
}

// Surroundings records the environment of the run in detail.
func (r *Recorder) Surroundings(s api.Surroundings) error {
	path := filepath.Join(r.dir, surroundingsFile)
	raw, err := json.Marshal(s)
	if err == nil {
		err = replaceFile(path, raw, visible)
	}
	if err != nil {
		return &StoreError{Path: path, Err: err}
	}
	return nil
}

// ReadSurroundings returns the detailed environment of a run; known is false if it is not
// on record.
func ReadSurroundings(s *Store, runID string) (of api.Surroundings, known bool) {
	dir, ok := s.runDir(runID)
	if !ok {
		return of, false
	}
	found, err := readJSON(filepath.Join(dir, surroundingsFile), &of)
	return of, found && err == nil
}

// Listen records the events of the run. Failures are written at once, and results a few
// times a second, so that a killed process loses little.
func (r *Recorder) Listen(e api.Event) {
	switch e := e.(type) {
	case *api.TestEnded:
		r.results.add(&e.Result)
	case *api.FailureFound:
		r.failures.add(&e.Failure)
		r.failures.flush()
	case *api.Progressed:
		r.results.flush()
	}
}

// Stream opens the record of one output stream ("stdout", "stderr") of the run's
// command number n.
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

// Rewrite keeps only the selected results and failures, for a rerun whose second command
// decides about tests again.
func (r *Recorder) Rewrite(keepResult func(api.Result) bool, keepFailure func(api.Failure) bool) error {
	return errors.Join(
		rewrite(r.results, keepResult),
		rewrite(r.failures, keepFailure),
	)
}

// Finish ends the record. Its error says that the record is incomplete; it does not
// affect the run itself.
func (r *Recorder) Finish(run api.Run) error {
	errs := []error{r.results.close(), r.failures.close()}
	for _, st := range r.streams {
		errs = append(errs, st.close())
	}
	if !isDir(r.dir) {
		// The results and output are gone, but the run must be on record.
		errs = append(errs, &StoreError{Path: r.dir, Err: errors.New("it was removed during the run; results and output are lost")}, r.remake())
	}
	err := r.write(run, synced)
	if err != nil {
		r.markUnwritten()
	}
	errs = append(errs, err, r.alive.Unlock())
	return errors.Join(errs...)
}

func (r *Recorder) write(run api.Run, survives durability) error {
	path := filepath.Join(r.dir, runFile)
	run.Workspace = r.workspace // distinguishes it from a record that came with a copy
	raw, err := json.Marshal(run)
	if err == nil {
		err = replaceFile(path, raw, survives)
	}
	if err != nil {
		return &StoreError{Path: path, Err: err}
	}
	return nil
}

// StreamPaths returns the records of both output streams of a run's command number n;
// ok is false if the command never ran.
func StreamPaths(s *Store, runID string, n int) (paths [2]string, ok bool) {
	dir, ok := s.runDir(runID)
	if !ok {
		return paths, false
	}
	for i, name := range StreamNames {
		paths[i] = streamPath(dir, n, name)
		if noLink(paths[i]) != nil {
			return paths, false
		}
	}
	return paths, true
}

func streamPath(dir string, n int, name string) string {
	return filepath.Join(dir, fmt.Sprintf("%d-%s", n, name))
}

// Stream records one output stream up to [MaxStream]. Write never fails: a record that
// cannot be written must not stop the run.
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

// Whole reports whether everything written is on record.
func (s *Stream) Whole() bool { return !s.cut && s.err == nil }

// Path returns the path of the record.
func (s *Stream) Path() string { return s.f.Name() }

func (s *Stream) close() error {
	if err := s.f.Close(); s.err == nil {
		s.err = err
	}
	return s.err
}

// lines writes one JSON object a line. The first error sticks and is reported at the
// end.
type lines struct {
	path string
	f    *os.File
	w    *bufio.Writer
	enc  *json.Encoder
	err  error
}

func newLines(path string) (*lines, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, &StoreError{Path: path, Err: err}
	}
	l := &lines{path: path, f: f}
	l.use(f)
	return l, nil
}

func (l *lines) use(w io.Writer) {
	l.w = bufio.NewWriterSize(w, 64<<10)
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

// rewrite replaces a file of lines by those that keep selects, and continues at its end.
// It is closed meanwhile: not every platform can replace an open file.
func rewrite[T any](l *lines, keep func(T) bool) error {
	if l.err != nil {
		return &StoreError{Path: l.path, Err: l.err}
	}
	if err := l.close(); err != nil {
		return err
	}
	err := selectLines(l.path, keep)
	f, openErr := os.OpenFile(l.path, os.O_WRONLY|os.O_APPEND|noFollow, 0)
	if openErr != nil {
		l.err = openErr // reported again at the end: nothing more is recorded
		return errors.Join(err, &StoreError{Path: l.path, Err: openErr})
	}
	l.f = f
	l.use(f)
	return err
}

// selectLines replaces a file of lines by those that keep selects. After an error the
// file is unchanged.
func selectLines[T any](path string, keep func(T) bool) error {
	_, err := atomicfile.Write(path, 0o600, func(w io.Writer) error {
		next := &lines{}
		next.use(w)
		err := readLines(path, func(item T) bool {
			if keep(item) {
				next.add(item)
			}
			return next.err == nil
		})
		next.flush()
		return errors.Join(err, next.err)
	})
	var known *StoreError
	if err != nil && !errors.As(err, &known) {
		err = &StoreError{Path: path, Err: err}
	}
	return err
}

// readLines decodes a file of one JSON object a line. It skips a last line cut by a
// crash.
func readLines[T any](path string, yield func(T) bool) error {
	f, err := openFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return &StoreError{Path: path, Err: err}
	}
	defer f.Close()
	dec := json.NewDecoder(bufio.NewReaderSize(f, 64<<10))
	for {
		var item T
		err := dec.Decode(&item)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil
		}
		if err != nil {
			return &StoreError{Path: path, Err: err}
		}
		if !yield(item) {
			return nil
		}
	}
}
