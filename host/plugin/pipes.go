package plugin

import (
	"fmt"
	"os"
)

// pipes are the standard streams of a plugin. Its standard input is its lifeline:
// nothing is ever written to it, and it ends when we do.
type pipes struct {
	childIn, childOut, childErr *os.File
	lifeline, out, err          *os.File
}

func openPipes() (pipes, error) {
	var p pipes
	var err error
	open := func(r, w **os.File) {
		if err == nil {
			*r, *w, err = os.Pipe()
		}
	}
	open(&p.childIn, &p.lifeline)
	open(&p.out, &p.childOut)
	open(&p.err, &p.childErr)
	if err != nil {
		p.closeChild()
		p.closeHost()
		return pipes{}, fmt.Errorf("open pipes for a plugin: %w", err)
	}
	return p, nil
}

func (p pipes) closeChild() { closeAll(p.childIn, p.childOut, p.childErr) }
func (p pipes) closeHost()  { closeAll(p.lifeline, p.out, p.err) }

func closeAll(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close()
		}
	}
}
