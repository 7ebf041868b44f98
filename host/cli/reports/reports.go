package reports

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/atomicfile"
	"github.com/proctorhq/proctor/host/cli/flags"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/query"
	"github.com/proctorhq/proctor/host/report"
	"github.com/proctorhq/proctor/host/workspace"
	"github.com/proctorhq/proctor/sdk"
)

// Surroundings are what a command has around it.
type Surroundings struct {
	Stderr  io.Writer
	Environ []string
	Getenv  func(string) string
	// Dir is where the command looks for its workspace, and Version is proctor's.
	Dir, Version string
}

// Reports are what a command writes of the runs that it makes: files, and what a CI
// service reads.
type Reports struct {
	report.Collector
	// Reads are files and directories that the command reads. It replaces nothing in them.
	Reads []string
	// Shard is the shard that the command runs; nil if it runs none.
	Shard *api.Shard
	// The flags.
	junit, dialect string
	asked          []string
	// bound reports whether the command has the flags: others write no report.
	bound  bool
	files  []File
	github githubReport
}

// File is a file to be written.
type File struct {
	report.Format
	Path string
	// isAddress reports whether Path is the address of a collector, which takes the
	// report in place of a file.
	isAddress bool
}

// shown returns the path for messages, without the query of an address, which may hold a key.
func (f File) shown() string {
	if path, _, found := strings.Cut(f.Path, "?"); f.isAddress && found {
		return prose.Line(path) + "?..."
	}
	return prose.Line(f.Path)
}

// NewFile returns the file of a report. For the format of collectors, path may be an
// http:// or https:// address. The error is a [flags.Error].
func NewFile(f report.Format, path string) (File, error) {
	if f.Name == report.OTLPName && (strings.HasPrefix(path, "https://") || strings.HasPrefix(path, "http://")) {
		return File{Format: f, Path: path, isAddress: true}, nil
	}
	if slices.Contains(strings.Split(filepath.ToSlash(path), "/"), ".proctor") {
		return File{}, &flags.Error{Err: fmt.Errorf("no report is written to %s, among proctor's records: give another place", path)}
	}
	return File{Format: f, Path: filepath.Clean(path)}, nil
}

// Bind declares the flags.
func (r *Reports) Bind(cmd *cobra.Command) {
	r.bound = true
	set := cmd.Flags()
	set.StringVar(&r.junit, "junit", "", "write a JUnit XML report to `FILE`, whatever the verdict")
	set.StringVar(&r.junit, "junitfile", "", "as --junit")
	_ = set.MarkHidden("junitfile") // gotestsum's name for it
	set.StringArrayVar(&r.asked, "report", nil, "write a report, whatever the verdict: `FORMAT=FILE`, repeatable; formats: "+strings.Join(report.Names(), ", "))
	BindDialect(cmd, &r.dialect)
	_ = cmd.RegisterFlagCompletionFunc("report", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		var words []string
		for _, f := range report.Formats() {
			words = append(words, f.Name+"=\t"+f.What)
		}
		return words, cobra.ShellCompDirectiveNoSpace
	})
}

// BindDialect declares --junit-dialect.
func BindDialect(cmd *cobra.Command, dialect *string) {
	cmd.Flags().StringVar(dialect, "junit-dialect", "", "`DIALECT` of JUnit: default, or gitlab, which has files and lines (default: gitlab in a job of GitLab)")
}

// Begin decides which files are written, and removes those of an earlier command, which
// would otherwise be taken for this one's if it ended early.
func (r *Reports) Begin() error {
	if r.junit != "" {
		r.asked = append(r.asked, "junit="+r.junit)
	}
	for _, asked := range r.asked {
		if r.github.take(asked) {
			continue
		}
		f, err := parseReport(asked)
		switch {
		case err != nil:
			return err
		case slices.ContainsFunc(r.files, func(other File) bool { return other.Path == f.Path }):
			return &flags.Error{Err: fmt.Errorf("two reports are to be written to %s", f.Path)}
		}
		r.files = append(r.files, f)
	}
	if err := CheckDialect(r.dialect); err != nil {
		return err
	}
	for _, f := range r.files {
		if err := f.check(r.Reads); err != nil {
			return err
		}
	}
	for _, f := range r.files {
		if err := f.remove(); err != nil {
			return err
		}
	}
	return nil
}

// parseReport reads FORMAT=FILE.
func parseReport(asked string) (File, error) {
	name, path, ok := strings.Cut(asked, "=")
	format, known := report.Find(name)
	switch {
	case !known:
		return File{}, &flags.Error{Err: fmt.Errorf("--report %s: there is no format %q: give FORMAT=FILE, with one of %s", asked, name, strings.Join(report.Names(), ", "))}
	case !ok || path == "":
		return File{}, &flags.Error{Err: fmt.Errorf("--report %s: name the file: --report %s=FILE", asked, name)}
	}
	return NewFile(format, path)
}

// CheckDialect rejects an unknown dialect of JUnit.
func CheckDialect(dialect string) error {
	if dialect != "" && !slices.Contains(report.Dialects(), report.Dialect(dialect)) {
		return &flags.Error{Err: fmt.Errorf("--junit-dialect %q: give one of %s, %s", dialect, report.DefaultDialect, report.GitLabDialect)}
	}
	return nil
}

// Clear removes the files of an earlier command, as [File.check] allows it.
func (f File) Clear() error {
	if err := f.check(nil); err != nil {
		return err
	}
	return f.remove()
}

// check refuses to replace what is not a report, and what the command is about to read. The
// error is a [flags.Error].
func (f File) check(reads []string) error {
	info, err := os.Stat(f.Path)
	switch {
	case f.isAddress || err != nil:
		return nil // writing it reports what is wrong
	case info.IsDir():
		return &flags.Error{Err: fmt.Errorf("%s is a directory: give the name of a file", f.Path)}
	case !info.Mode().IsRegular():
		return nil
	case strings.HasPrefix(f.Path, "/dev/") && !strings.HasPrefix(f.Path, "/dev/shm/") || strings.HasPrefix(f.Path, "/proc/"): // what somebody has opened
		return &flags.Error{Err: fmt.Errorf("no report is written to %s while that is a file: give the name of the file", f.Path)}
	case !report.IsReport(f.Path):
		return &flags.Error{Err: fmt.Errorf("%s is not a report, and no report is written in its place: give another file, or remove it", f.Path)}
	case slices.ContainsFunc(reads, func(read string) bool { return lies(f.Path, read) }):
		return &flags.Error{Err: fmt.Errorf("%s is to be read, and no report is written in its place: give another file", f.Path)}
	}
	return nil
}

// lies reports whether a file is place, or below it, by whatever name.
func lies(path, place string) bool {
	there, missing := os.Stat(place)
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		path, err = filepath.Abs(real)
	}
	if missing != nil || err != nil {
		return false
	}
	for {
		if here, err := os.Stat(path); err == nil && os.SameFile(here, there) {
			return true
		}
		above := filepath.Dir(path)
		if above == path {
			return false
		}
		path = above
	}
}

// remove removes the files that an earlier command wrote, a link rather than what it leads
// to. The user named only the first, so of the others it removes only those that proctor
// wrote.
func (f File) remove() error {
	if f.isAddress {
		return nil
	}
	for n := 1; ; n++ {
		path := partPath(f.Path, n)
		info, err := os.Stat(path)
		if n == 1 && errors.Is(err, fs.ErrNotExist) { // a link may lead nowhere
			info, err = os.Lstat(path)
		}
		if err != nil || !info.Mode().IsRegular() && info.Mode().Type() != fs.ModeSymlink {
			return nil // writing it reports what is wrong
		}
		if n > 1 && (f.Split == nil || !report.IsOwnJUnit(path)) {
			return nil
		}
		if err := os.Remove(path); err != nil {
			return err
		}
	}
}

// partPath names the nth file of a report: report.xml, report-2.xml.
func partPath(path string, n int) string {
	if n == 1 {
		return path
	}
	ext := filepath.Ext(path)
	return fmt.Sprintf("%s-%d%s", strings.TrimSuffix(path, ext), n, ext)
}

// Write writes the files of a command that ended with err, which why puts into words.
// passed reports whether the command is about to exit with 0. Runs may have passed before
// err, so the reports show err as well. failed reports whether a report was not written.
func (r *Reports) Write(ctx context.Context, s Surroundings, k *ledger.Keeper, err error, why string, passed bool) (failed bool) {
	r.github.stop(s)
	if len(r.files) == 0 && !r.github.isOn {
		return false
	}
	switch {
	case err != nil:
		ended := report.Ended(api.ToolError, why)
		ended.Run.Shard = r.Shard
		r.Listen(ended)
	case r.Runs() == 0 && !passed:
		r.Listen(report.Ended(api.NothingRan, "there was no run"))
	}
	document := r.Document()
	if slices.ContainsFunc(document.Runs, func(r *report.Run) bool { return r.IsLost }) {
		fmt.Fprintln(s.Stderr, "proctor: the reports lack results that could not be recorded")
		failed = true
	}
	options := Options(ctx, s, k, document, r.dialect)
	if r.github.isOn {
		r.github.document, r.github.options = document, options
	}
	for _, f := range r.files {
		if err := f.WriteDocument(ctx, s, document, options); err != nil {
			fmt.Fprintf(s.Stderr, "proctor: the %s report %s was not written: %s\n", f.Name, f.shown(), prose.Plain(err.Error()))
			failed = true
		}
	}
	return failed
}

// StopCommands makes CI services ignore commands in the output until [Reports.End], for a
// command with reports.
func (r *Reports) StopCommands(s Surroundings) {
	if r.bound {
		r.github.stop(s)
	}
}

// End writes what a CI service reads, after all other output; failed is as for
// [Reports.Write].
func (r *Reports) End(ctx context.Context, s Surroundings) (failed bool) { return r.github.end(ctx, s) }

// WriteDocument writes one report, in several files if one would be too large for its readers.
func (f File) WriteDocument(ctx context.Context, s Surroundings, d *report.Document, o report.Options) error {
	if f.isAddress {
		return f.send(ctx, s, d, o)
	}
	parts := []*report.Document{d}
	if f.Split != nil {
		var err error
		if parts, err = f.Split(d, o); err != nil {
			return err
		}
	}
	isRed := slices.ContainsFunc(d.Runs, func(r *report.Run) bool { return r.Object.Verdict != api.Passed })
	for i, part := range parts {
		path := partPath(f.Path, i+1)
		replaced, err := writeFile(path, isRed, func(w io.Writer) error { return f.Write(w, part, o) })
		if err != nil {
			return err
		}
		if replaced {
			fmt.Fprintf(s.Stderr, "proctor: the %s report %s replaces one that another command wrote meanwhile: give each command a file of its own\n", f.Name, prose.Line(path))
		}
	}
	if n := len(parts); n > 1 {
		fmt.Fprintf(s.Stderr, "proctor: the %s report is too large for one file: it is %s to %s\n", f.Name, prose.Line(f.Path), prose.Line(partPath(f.Path, n)))
	}
	return nil
}

// writeFile writes a file atomically, and creates its directory. A file that is not regular,
// such as a pipe, is written in place, if somebody reads it. What was there has been removed, so
// a file that is there was written meanwhile: only a report gives way, and only to one that is
// red, so that of two commands with one file none hides what the other found. replaced reports
// whether one did.
func writeFile(path string, isRed bool, write func(io.Writer) error) (replaced bool, err error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return false, err
		}
	}
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		f, err := openInPlace(path)
		if err != nil && info.Mode().Type() == fs.ModeNamedPipe {
			return false, fmt.Errorf("nobody reads the pipe: start its reader first (%w)", err)
		}
		if err != nil {
			return false, err
		}
		return false, errors.Join(write(f), f.Close())
	}
	_, err = atomicfile.Create(path, 0o644, write)
	switch {
	case !errors.Is(err, fs.ErrExist):
		return false, err
	case !report.IsReport(path):
		return false, errors.New("what is there now is not a report: give another file, or remove it")
	case !isRed:
		return false, errors.New("another command wrote its report there meanwhile: give each command a file of its own")
	}
	_, err = atomicfile.Write(path, 0o644, write)
	return err == nil, err
}

// Options returns what the formats may need to know.
func Options(ctx context.Context, s Surroundings, k *ledger.Keeper, d *report.Document, dialect string) report.Options {
	o := report.Options{Dialect: report.Dialect(dialect), Version: s.Version, TraceParent: s.Getenv("TRACEPARENT")}
	ctx = context.WithoutCancel(ctx) // an interrupted run has its report, too
	o.Background = func(run api.Run, tests []sdk.TestID) report.Background {
		// Errors only leave out background; the report is about the run.
		past, _ := query.Past(ctx, k, run, tests)
		outputs, _ := query.Outputs(ctx, k, run, tests)
		return report.Background{Excerpts: query.Excerpts(ctx, k, run), Past: past, Outputs: outputs, Changed: query.ChangedLines(ctx, k, run)}
	}
	if dialect == "" {
		o.Dialect = report.DefaultDialect
		if s.Getenv("GITLAB_CI") != "" {
			o.Dialect = report.GitLabDialect
		}
	}
	for _, run := range d.Runs {
		o.Prefix = repositoryPrefix(run.Object.Workspace) // the same for all of them
	}
	return o
}

// repositoryPrefix returns the path of a workspace in its repository, with a slash at its
// end: CI services know files by their path there.
func repositoryPrefix(dir string) string {
	rel, err := filepath.Rel(workspace.RepositoryOf(dir), dir)
	if err != nil || rel == "." {
		return ""
	}
	return filepath.ToSlash(rel) + "/"
}
