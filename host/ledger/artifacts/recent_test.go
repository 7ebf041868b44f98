package artifacts_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
)

// On a full disk a run can have a slot and no object, or neither. The one before it
// was green, maybe, and is not the last.
func TestAnOlderRunDoesNotStandForTheLast(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(s *artifacts.Store, last string) error{
		"the last has no record":          func(s *artifacts.Store, last string) error { return os.RemoveAll(filepath.Join(s.Dir(), "runs", last)) },
		"the last could not be begun":     func(s *artifacts.Store, _ string) error { return artifacts.Disown(s) },
		"the object of the last is empty": func(s *artifacts.Store, last string) error { return os.Truncate(object(s, last), 0) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, t.TempDir(), "one")
			before, last := newRun("go", "one"), newRun("go", "one")
			last.StartedAt = before.StartedAt.Add(time.Second)
			finished(t, s, before)
			finished(t, s, last)
			if err := damage(s, last.RunID); err != nil {
				t.Fatal(err)
			}
			for _, ref := range []string{"last", "prev"} {
				if run, err := s.Run(ref); err == nil {
					t.Errorf("%s is %s", ref, run.RunID)
				}
			}
		})
	}
}

func object(s *artifacts.Store, id string) string {
	return filepath.Join(s.Dir(), "runs", id, artifacts.ObjectName)
}

// A clock that was set back makes the newer run the one that began earlier.
func TestTheLastRunIsThatOfTheSlotAndNotOfTheClock(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), "one")
	before, last := newRun("go", "one"), newRun("go", "one")
	last.StartedAt = before.StartedAt.AddDate(-5, 0, 0)
	finished(t, s, before)
	finished(t, s, last)
	for ref, want := range map[string]string{"last": last.RunID, "prev": before.RunID} {
		if run, err := s.Run(ref); err != nil || run.RunID != want {
			t.Errorf("%s is %s, %v; want %s", ref, run.RunID, err, want)
		}
	}
	var none *api.UnknownRunError
	if _, err := open(t, t.TempDir(), "one").Run("last"); !errors.As(err, &none) {
		t.Errorf("without a run: %v", err)
	}
}
