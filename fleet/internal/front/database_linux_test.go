package front

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// fewDatabaseKills is the default.
const fewDatabaseKills = 2

// postgres is a PostgreSQL server that is killed.
type postgres struct {
	t    testing.TB
	bin  string
	dir  string
	port int
	as   []string // what runs it as another user than root
	now  *process
}

// newPostgres starts a PostgreSQL server in a directory of its own. With CI set it must be installed.
func newPostgres(t testing.TB) *postgres {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	if len(found) == 0 && os.Getenv("CI") != "" {
		t.Fatal("PostgreSQL is not installed: apt-get install postgresql")
	} else if len(found) == 0 {
		t.Skip("NOT TESTED: PostgreSQL is not installed: apt-get install postgresql")
	}
	dir, err := os.MkdirTemp("", "proctor-fleet-postgres-*") // t.TempDir is not for other users
	if err != nil {
		t.Fatal(err)
	}
	p := &postgres{t: t, bin: filepath.Dir(slices.Max(found)), dir: dir, port: freePort(t)}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if os.Getuid() == 0 { // as which it refuses to run
		who, err := user.Lookup("postgres")
		if err != nil {
			t.Fatal(err)
		}
		uid, _ := strconv.Atoi(who.Uid)
		gid, _ := strconv.Atoi(who.Gid)
		if err := os.Chown(dir, uid, gid); err != nil {
			t.Fatal(err)
		}
		p.as = []string{"setpriv", "--reuid", who.Uid, "--regid", who.Gid, "--clear-groups"}
	}
	if out, err := p.command("initdb", "-D", filepath.Join(dir, "data"), "-U", "postgres", "-A", "trust", "--no-sync").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	p.start()
	t.Cleanup(func() { killAlone(p.now) })
	return p
}

func (p *postgres) command(program string, args ...string) *exec.Cmd {
	args = append(slices.Clone(p.as), append([]string{filepath.Join(p.bin, program)}, args...)...)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.WaitDelay = p.dir, time.Second
	return cmd
}

// start starts the server. One that was killed may leave processes that keep the next from starting
// for a moment.
func (p *postgres) start() {
	p.t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		p.now = startAlone(p.t, p.command("postgres", "-D", filepath.Join(p.dir, "data"), "-h", "127.0.0.1", "-p", strconv.Itoa(p.port), "-k", p.dir))
		if p.now.log.waitFor("database system is ready to accept connections") {
			return
		}
		<-p.now.end
		if time.Now().After(deadline) {
			p.t.Fatalf("PostgreSQL does not start: %s", p.now.log)
		}
	}
}

// startServerOn starts a Temporal server on a database.
func (w *killableFleet) startServerOn(db *postgres) {
	p := &process{cmd: w.command(context.Background(), temporalRole, w.dir, strconv.Itoa(db.port), strconv.Itoa(w.port)), log: newLog(), end: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = p.log, p.log
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := p.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	go func() { _ = p.cmd.Wait(); close(p.end); p.log.close() }()
	if !p.log.waitFor(temporalSays) {
		w.t.Fatalf("the Temporal server ended:\n%s", p.log)
	}
	w.server = p
}

// The same where Temporal's records are in a database of its own, as a team has it.
func TestARunSurvivesAnyKillOfItsDatabase(t *testing.T) {
	t.Parallel()
	db := newPostgres(t)
	w := newKillableFleetOn(t, 2, func(w *killableFleet) { w.startServerOn(db) })
	w.surviveKills(t, fewDatabaseKills, []string{"the database", "the database for a while", "the database and the server"}, func(victim string, r *rand.Rand, _ func()) {
		killAlone(db.now)
		switch victim {
		case "the database for a while":
			time.Sleep(time.Duration(r.IntN(12)) * time.Second)
		case "the database and the server":
			killAlone(w.server)
		}
		db.start()
		if victim == "the database and the server" {
			w.startServerOn(db)
		}
	})
}
