package report

import (
	"bufio"
	"io"
)

// maxJUnit bounds a JUnit file in bytes: GitLab takes less than 30 MB.
const maxJUnit = 28_000_000

// counter counts what is written.
type counter struct{ n int }

func (c *counter) Write(p []byte) (int, error) {
	c.n += len(p)
	return len(p), nil
}

// splitJUnit divides a document into files by suite, and a suite too large for one file
// by case.
func splitJUnit(d *Document, o Options) ([]*Document, error) {
	return splitDocument(d, maxJUnit, func(w io.Writer, run *Run, s *Suite) error {
		j := junitWriter{bufio.NewWriter(w), o}
		j.suite(run.Object, s)
		return j.Flush()
	})
}

// splitDocument divides a document into parts of at most most bytes, unless a single case
// is larger.
func splitDocument(d *Document, most int, write func(io.Writer, *Run, *Suite) error) ([]*Document, error) {
	p := parts{most: most - 1<<10} // leaves room for what surrounds the suites
	for _, run := range d.Runs {
		p.run = nil
		for _, s := range run.Suites {
			var size counter
			if err := write(&size, run, s); err != nil {
				return nil, err
			}
			for _, piece := range cutSuite(s, 1+size.n/p.most) {
				p.add(run, piece, size.n*len(piece.Cases)/max(len(s.Cases), 1))
			}
		}
	}
	if len(p.all) < 2 {
		return []*Document{d}, nil
	}
	return p.all, nil
}

// cutSuite divides a suite into 2n pieces with about the same number of cases.
func cutSuite(s *Suite, n int) []*Suite {
	if n == 1 {
		return []*Suite{s}
	}
	n *= 2 // cases differ in size, so halves fit better
	var pieces []*Suite
	for i := range n {
		piece := *s
		piece.Cases = s.Cases[i*len(s.Cases)/n : (i+1)*len(s.Cases)/n]
		piece.count()
		if len(piece.Cases) > 0 {
			pieces = append(pieces, &piece)
		}
	}
	return pieces
}

// parts are documents being filled one after the other.
type parts struct {
	most, size int
	all        []*Document
	run        *Run // the current run, in the last part
}

func (p *parts) add(run *Run, s *Suite, size int) {
	if len(p.all) == 0 || p.size > 0 && p.size+size > p.most {
		p.all, p.size, p.run = append(p.all, &Document{}), 0, nil
	}
	last := p.all[len(p.all)-1]
	if p.run == nil {
		p.run = &Run{Object: run.Object, Record: run.Record}
		p.run.Object.DurationS = 0 // that of its suites
		last.Runs = append(last.Runs, p.run)
	}
	p.size += size
	p.run.Suites = append(p.run.Suites, s)
	p.run.Object.DurationS += s.DurationS
	for status, n := range s.Counts {
		p.run.Counts[status] += n
	}
}
