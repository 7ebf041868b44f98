package stream

import (
	"fmt"
	"io"
	"math/rand/v2"
)

const (
	// openPackages is how many packages report at a time: go test runs one for
	// each processor.
	openPackages = 4
	// longestBurst is the most events of one package in a row.
	longestBurst = 16
	// healthyRounds is how often the passing packages occur for each occurrence of the
	// failing ones: about one event in a thousand is a failure, as in a large project on
	// a bad day.
	healthyRounds = 16
)

var (
	healthy = [...]string{"catalog", "money", "text"}
	sick    = [...]string{"orders", "payments", "shipping"}
)

// Suites writes at least the given number of events of many packages, most of
// which pass.
func (r *Recording) Suites(w io.Writer, seed uint64, events int) (Count, error) {
	random := rand.New(rand.NewPCG(seed, seed))
	next := r.packageSource()
	var total Count
	var open []*copiedPackage
	for {
		for len(open) < openPackages && total.Events < events {
			c, err := next()
			if err != nil {
				return total, err
			}
			total.add(c.count)
			open = append(open, c)
		}
		if len(open) == 0 {
			return total, nil
		}
		i := random.IntN(len(open))
		done, size, err := open[i].write(w, 1+random.IntN(longestBurst))
		total.Bytes += size
		if err != nil {
			return total, err
		}
		if done {
			open = append(open[:i], open[i+1:]...)
		}
	}
}

// copiedPackage is a copy of a recorded package, written up to some line.
type copiedPackage struct {
	lines   []template
	filling []byte
	count   Count
}

func (c *copiedPackage) write(w io.Writer, n int) (done bool, size int64, err error) {
	for n > 0 && len(c.lines) > 0 {
		written, err := c.lines[0].write(w, c.filling)
		size += written
		if err != nil {
			return false, size, err
		}
		c.lines = c.lines[1:]
		n--
	}
	return len(c.lines) == 0, size, nil
}

// packageSource returns the recorded packages, round after round, each time as part of
// another module.
func (r *Recording) packageSource() func() (*copiedPackage, error) {
	cache := map[string][]template{}
	var queue []string
	round := 0
	return func() (*copiedPackage, error) {
		if len(queue) == 0 {
			queue = append(queue, healthy[:]...)
			if round%healthyRounds == healthyRounds/2 {
				queue = append(queue, sick[:]...)
			}
			round++
		}
		name := queue[0]
		queue = queue[1:]
		p, err := r.find(name)
		if err != nil {
			return nil, err
		}
		if cache[name] == nil {
			cache[name] = holes(p.lines, module)
		}
		count := p.count
		count.Bytes = 0 // known once it is written
		return &copiedPackage{lines: cache[name], filling: fmt.Appendf(nil, "%s-%05d", module, round), count: count}, nil
	}
}
