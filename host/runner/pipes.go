package runner

import "os"

// pipes are the two streams of a command.
type pipes struct{ stdout, stderr pipe }

// pipe has an end that we read and one that the command writes. A wide one holds
// pipeSize.
type pipe struct {
	read, write *os.File
	wide        bool
}

func openPipes() (*pipes, error) {
	p := &pipes{}
	for _, one := range []*pipe{&p.stdout, &p.stderr} {
		var err error
		if one.read, one.write, err = os.Pipe(); err != nil {
			p.close()
			return nil, err
		}
		one.wide = widen(one.read)
	}
	return p, nil
}

// given closes the ends that the command has now.
func (p *pipes) given() {
	_ = p.stdout.write.Close()
	_ = p.stderr.write.Close()
}

// close closes what is open. Closing twice, or closing nil, is harmless.
func (p *pipes) close() {
	for _, file := range []*os.File{p.stdout.read, p.stdout.write, p.stderr.read, p.stderr.write} {
		_ = file.Close()
	}
}
