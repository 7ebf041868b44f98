package fingerprint_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/fingerprint"
)

// Writes of the same size follow each other so closely that they may have the same
// time.
func TestEachOfTwoQuickWritesIsSeen(t *testing.T) {
	r := newRepo(t)
	r.write("a.txt", "00")
	r.commit()
	full := filepath.Join(r.dir, "a.txt")
	set := func(content string) {
		f, err := os.OpenFile(full, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteAt([]byte(content), 0); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 20 {
		before, after := fmt.Sprintf("%02d", 2*i), fmt.Sprintf("%02d", 2*i+1)
		set(before)
		s := r.take()
		set(after)
		files, next := r.changed(s)
		if !slices.Contains(files, "a.txt") || next.State.ID == s.State.ID {
			t.Fatalf("round %d: changed are %q", i, files)
		}
		set(before)
		r.git("add", "a.txt")
		set(after)
		if r.take().State.ID != next.State.ID {
			t.Fatalf("round %d: the object that git has seen was taken for the content", i)
		}
	}
}

func TestAFileThatWasModifiedSinceTheRunBeganIsReported(t *testing.T) {
	r := newRepo(t)
	r.write("old.txt", "a")
	r.write("a.txt", "a")
	r.commit()
	time.Sleep(60 * time.Millisecond)
	r.cfg.Since = time.Now()
	time.Sleep(30 * time.Millisecond)
	r.write("a.txt", "b") // before Take, which reads it
	time.Sleep(30 * time.Millisecond)
	s := r.take()
	files, next := r.changed(s)
	if !slices.Equal(files, []string{"a.txt"}) {
		t.Errorf("changed are %q", files)
	}
	if files, _ := r.changed(next); len(files) > 0 {
		t.Errorf("after that, %q changed", files)
	}
	if next.State.ID != s.State.ID {
		t.Error("the state changed, though Take had read the new content")
	}
}

func TestAFileThatIsWrittenAgainWithTheSameContentIsReported(t *testing.T) {
	r := newRepo(t)
	r.write("a.txt", "a")
	r.commit()
	time.Sleep(60 * time.Millisecond)
	s := r.take()
	r.write("a.txt", "b")
	r.write("a.txt", "a")
	files, next := r.changed(s)
	if !slices.Equal(files, []string{"a.txt"}) || next.State.ID != s.State.ID {
		t.Errorf("changed are %q, %s %s", files, s.State.ID, next.State.ID)
	}
}

// A year ahead, as after an archive was unpacked that was made by a wrong clock.
func TestATimeFarAheadIsNoChange(t *testing.T) {
	r := newRepo(t)
	r.write("a.txt", "a")
	r.write("b.txt", "b")
	r.commit()
	ahead := time.Now().AddDate(1, 0, 0)
	set := func() {
		if err := os.Chtimes(filepath.Join(r.dir, "a.txt"), ahead, ahead); err != nil {
			t.Fatal(err)
		}
	}
	set()
	time.Sleep(60 * time.Millisecond)
	r.cfg.Since = time.Now()
	s := r.take()
	if files, _ := r.changed(s); len(files) > 0 {
		t.Errorf("changed are %q", files)
	}
	if s.TouchedSince(r.cfg.Since) {
		t.Error("it counts as touched")
	}
	if _, touched, err := fingerprint.ReadFile(r.dir, "a.txt", 10); err != nil || touched.After(time.Now()) {
		t.Error(touched, err)
	}
	r.write("a.txt", "c")
	set()
	if files, _ := r.changed(s); !slices.Equal(files, []string{"a.txt"}) {
		t.Errorf("after it was written, changed are %q", files)
	}
	// Only the time at which that time was set tells that it was written before Take.
	time.Sleep(60 * time.Millisecond)
	r.cfg.Since = time.Now()
	time.Sleep(30 * time.Millisecond)
	r.write("a.txt", "d")
	set()
	if files, _ := r.changed(r.take()); runtime.GOOS != "windows" && !slices.Equal(files, []string{"a.txt"}) {
		t.Errorf("written before the state was taken, changed are %q", files)
	}
}
