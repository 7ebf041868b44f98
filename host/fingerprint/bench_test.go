package fingerprint_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/fingerprint"
)

// generated makes a repository with files of about 4 kB, ten to a directory, 20 of them
// dirty.
func generated(b *testing.B, files int, attributes string) *tree {
	r := newRepo(b)
	r.write(".gitignore", "*.o\nbuild/\n")
	r.write(".gitattributes", attributes)
	text := strings.Repeat("a line of a source file, with words in it\n", 100)
	name := func(i int) string {
		return fmt.Sprintf("part%d/package%d/file%d.txt", i/1000, i/10, i)
	}
	for i := range files {
		r.write(name(i), fmt.Sprint(i, "\n", text))
	}
	r.commit()
	time.Sleep(1100 * time.Millisecond)
	r.git("status")
	for i := range 15 {
		r.write(name(i*files/15), "edited")
	}
	for i := range 5 {
		r.write(fmt.Sprintf("part0/package%d/new%d.txt", i, i), "new")
	}
	time.Sleep(50 * time.Millisecond)
	return r
}

// BenchmarkTakeAndChanged measures what a run pays.
func BenchmarkTakeAndChanged(b *testing.B) {
	for _, bench := range []struct {
		files      int
		attributes string
	}{{5000, ""}, {5000, "* text=auto\n"}, {50000, ""}} {
		b.Run(fmt.Sprintf("files=%d,text=%t", bench.files, bench.attributes != ""), func(b *testing.B) {
			r := generated(b, bench.files, bench.attributes)
			var takes, changes []time.Duration
			for b.Loop() {
				begun := time.Now()
				s := r.take()
				taken := time.Now()
				if files, _ := r.changed(s); len(files) > 0 {
					b.Fatal(files)
				}
				changes = append(changes, time.Since(taken))
				takes = append(takes, taken.Sub(begun))
				if s.State.Dirty != 20 {
					b.Fatalf("%d dirty files", s.State.Dirty)
				}
			}
			b.ReportMetric(median(takes), "take-ms")
			b.ReportMetric(median(changes), "changed-ms")
		})
	}
}

// BenchmarkOfCommit measures a question about a revision.
func BenchmarkOfCommit(b *testing.B) {
	r := generated(b, 5000, "")
	for b.Loop() {
		if _, err := fingerprint.OfCommit(b.Context(), r.cfg, "HEAD"); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkWalk measures a run without git.
func BenchmarkWalk(b *testing.B) {
	r := generated(b, 5000, "")
	r.remove(".git")
	r.cfg.Git = ""
	for b.Loop() {
		r.take()
	}
}

// BenchmarkCodec measures storing a state, and its size.
func BenchmarkCodec(b *testing.B) {
	s := generated(b, 5000, "").take()
	var data []byte
	for b.Loop() {
		data = fingerprint.Encode(s.State.Files)
		if _, err := fingerprint.Decode(data); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(data)), "bytes")
}

func median(times []time.Duration) float64 {
	slices.Sort(times)
	return float64(times[len(times)/2].Microseconds()) / 1000
}
