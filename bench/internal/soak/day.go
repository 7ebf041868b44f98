package soak

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/proctorhq/proctor/bench/internal/edit"
)

// Config says what to work with and for how long.
type Config struct {
	Proctor string // the program
	Dir     string // an empty directory to work in
	// Rounds ends the soak after that many rounds; For starts no further round after
	// that time. Zero means no limit.
	Rounds  int
	For     time.Duration
	GoFlags string // in place of the user's
	Log     io.Writer
}

// Something that an agent does rarely is due once in this many rounds.
const (
	everyVisit  = 10
	everyCancel = 4
	everyIndex  = 12
)

// day is the state of a soak.
type day struct {
	Config
	dir, temp string // the module, and where programs put temporary files
	env       []string
	main      server
	report    *Report
	round     int
	lastRed   string // the last red run
}

// Run returns what was measured even if it ends in an error.
func Run(ctx context.Context, c Config) (report *Report, err error) {
	d := &day{Config: c, dir: filepath.Join(c.Dir, "shop"), temp: filepath.Join(c.Dir, "tmp"), report: newReport()}
	mark := fmt.Sprintf("%d-%d", os.Getpid(), time.Now().UnixNano())
	d.env = append(os.Environ(), "TMPDIR="+d.temp, markName+"="+mark, "GOFLAGS="+c.GoFlags)
	if err := d.setUp(ctx); err != nil {
		return d.report, err
	}
	if d.main, err = d.serve(ctx); err != nil {
		return d.report, err
	}
	began := time.Now()
	all := faults()
	for ; (c.Rounds == 0 || d.round < c.Rounds) && (c.For == 0 || time.Since(began) < c.For) && err == nil; d.round++ {
		f := all[d.round%len(all)]
		if err = d.runRound(ctx, f); err != nil {
			err = fmt.Errorf("round %d, %s: %w", d.round+1, f.name, err)
			break
		}
		d.report.sampled(d.takeSample(mark))
		if d.round%50 == 49 {
			fmt.Fprintf(c.Log, "%d rounds, %d runs after %s\n", d.round+1, d.report.Runs, time.Since(began).Round(time.Second))
		}
	}
	d.report.Took = time.Since(began)
	err = errors.Join(err, d.main.session.Close())
	d.report.Left = leftovers(mark, nil)
	return d.report, err
}

// setUp creates the module under version control, and has it indexed.
func (d *day) setUp(ctx context.Context) error {
	if err := errors.Join(os.MkdirAll(d.temp, 0o755), edit.WriteFiles(d.dir, module())); err != nil {
		return err
	}
	git := []string{"git", "-c", "user.name=soak", "-c", "user.email=soak@example.com", "-c", "commit.gpgsign=false", "-c", "core.hooksPath=/dev/null"}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-q", "-m", "in order"}} {
		if err := d.shell(ctx, append(git[:len(git):len(git)], args...)...); err != nil {
			return err
		}
	}
	return d.shell(ctx, d.Proctor, "covering", "index")
}

// shell runs a command in the module, like an agent in its shell.
func (d *day) shell(ctx context.Context, argv ...string) error {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = d.dir, d.env
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%q: %w\n%s", argv, err, out)
	}
	return nil
}

// runRound makes a round: green, broken, queried, fixed, green.
func (d *day) runRound(ctx context.Context, f fault) error {
	if err := d.checkGreen(ctx); err != nil {
		return err
	}
	if err := d.inject(f); err != nil {
		return err
	}
	if err := d.checkRed(ctx, f); err != nil {
		return err
	}
	if d.isTime(everyVisit) {
		if err := d.visit(ctx, f); err != nil {
			return fmt.Errorf("a second client: %w", err)
		}
	}
	if err := d.fix(ctx, f); err != nil {
		return err
	}
	if d.isTime(everyCancel) {
		if err := d.cancel(ctx); err != nil {
			return fmt.Errorf("cancelling a run: %w", err)
		}
	}
	if d.isTime(everyIndex) {
		return d.shell(ctx, d.Proctor, "covering", "index")
	}
	return nil
}

// isTime reports whether something done every so many rounds is due. If the number of rounds
// is fixed, everything is due in the last one.
func (d *day) isTime(every int) bool { return d.round%every == every-1 || d.round == d.Rounds-1 }

// inject makes a fault's edit, with a text that no earlier round had.
func (d *day) inject(f fault) error {
	comment := "edit " + strconv.Itoa(d.round)
	if f.added {
		return edit.WriteFiles(d.dir, map[string]string{f.file: f.new + "\n// " + comment + "\n"})
	}
	return replace(d.dir, f.file, f.old, f.new, comment)
}

// restore reverts the edit.
func (d *day) restore(f fault) error {
	if f.added {
		return os.Remove(filepath.Join(d.dir, filepath.FromSlash(f.file)))
	}
	return edit.WriteFiles(d.dir, map[string]string{f.file: module()[f.file]})
}
