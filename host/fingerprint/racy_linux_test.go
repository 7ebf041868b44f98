package fingerprint_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A store into mapped memory leaves a file's time as the previous store set it: a
// change that no stat shows, like two writes within one tick.
func TestAChangeThatStatCannotShowIsSeenInAFreshFile(t *testing.T) {
	r := newRepo(t)
	r.write("a.txt", "one")
	r.commit()
	f, err := os.OpenFile(filepath.Join(r.dir, "a.txt"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	mem, err := unix.Mmap(int(f.Fd()), 0, 3, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(mem)
	time.Sleep(30 * time.Millisecond)
	mem[0] = 'O'
	before, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	r.cfg.Now = func() time.Time { return before.ModTime().Add(time.Millisecond) }
	s := r.take()
	mem[1] = 'N'
	after, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if !after.ModTime().Equal(before.ModTime()) {
		t.Log("this file system tells the second store by its time; nothing is hidden here")
	}
	files, next := r.changed(s)
	if !slices.Equal(files, []string{"a.txt"}) || next.State.ID == s.State.ID {
		t.Errorf("changed are %q", files)
	}
}
