package soak

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// markName is an environment variable that identifies the processes of a soak, whatever
// their parent is now.
const markName = "PROCTOR_BENCH_SOAK"

// sample holds what was counted between two calls, by name.
type sample map[string]float64

// OfGo is reported but not judged, since it is not proctor's.
const OfGo = "temporary directories that the go command left"

// takeSample takes a sample.
func (d *day) takeSample(mark string) sample {
	s := sample{}
	tree := map[int]bool{}
	s.addProcess(d.main.pid, tree)
	s["processes"] = float64(len(tree))
	s["processes left by calls"] = float64(len(leftovers(mark, tree)))
	own := filepath.Join(d.dir, ".proctor")
	for _, part := range []string{"runs", "coverage", "sessions"} {
		size, _ := weigh(filepath.Join(own, part))
		s[".proctor/"+part+", KiB"] = size / 1024
	}
	runs, _ := os.ReadDir(filepath.Join(own, "runs"))
	s["runs on record"] = float64(len(runs))
	for _, name := range []string{"history.db", "history.db-wal"} {
		if info, err := os.Stat(filepath.Join(own, name)); err == nil {
			s[".proctor/"+name+", KiB"] = float64(info.Size()) / 1024
		}
	}
	s.addTemporary(d.temp)
	return s
}

// addTemporary counts what was left among temporary files. The go command leaves some when it
// is interrupted early.
func (s sample) addTemporary(dir string) {
	entries, _ := os.ReadDir(dir)
	s[OfGo], s["temporary files"] = 0, 0
	for _, e := range entries {
		name := "temporary files"
		if strings.HasPrefix(e.Name(), "go-build") {
			name = OfGo
		}
		s[name]++
	}
}

// addProcess adds a process and its descendants. Several processes of one program are added
// up.
func (s sample) addProcess(pid int, seen map[int]bool) {
	dir := fmt.Sprintf("/proc/%d", pid)
	status, err := os.ReadFile(filepath.Join(dir, "status"))
	if err != nil {
		return
	}
	seen[pid] = true
	if strings.HasPrefix(field(status, "State"), "Z") {
		s["zombies"]++
	}
	name := "watchers"
	if exe, err := os.Readlink(filepath.Join(dir, "exe")); err == nil && strings.HasPrefix(filepath.Base(exe), "proctor") {
		name = filepath.Base(exe)
	}
	s[name+": memory, MiB"] += number(field(status, "VmRSS")) / 1024
	s[name+": threads"] += number(field(status, "Threads"))
	fds, _ := os.ReadDir(filepath.Join(dir, "fd"))
	s[name+": open files"] += float64(len(fds))
	tasks, _ := filepath.Glob(filepath.Join(dir, "task", "*", "children"))
	for _, t := range tasks {
		children, _ := os.ReadFile(t)
		for _, c := range bytes.Fields(children) {
			if n, err := strconv.Atoi(string(c)); err == nil {
				s.addProcess(n, seen)
			}
		}
	}
}

// field returns a line of a status file.
func field(status []byte, name string) string {
	_, rest, _ := bytes.Cut(status, []byte("\n"+name+":"))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	return strings.TrimSpace(string(line))
}

func number(text string) float64 {
	text, _, _ = strings.Cut(text, " ")
	n, _ := strconv.ParseFloat(text, 64)
	return n
}

// leftovers returns the processes that carry the mark and are not known.
func leftovers(mark string, known map[int]bool) (found []string) {
	all, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range all {
		env, err := os.ReadFile(path)
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil || known[pid] || !bytes.Contains(env, []byte(markName+"="+mark+"\x00")) {
			continue
		}
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		found = append(found, strings.ReplaceAll(string(line), "\x00", " "))
	}
	return found
}

// weigh returns the size of the files in a directory, and the number of its entries.
func weigh(dir string) (size, entries float64) {
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return nil
		}
		entries++
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			size += float64(info.Size())
		}
		return nil
	})
	return size, entries
}
