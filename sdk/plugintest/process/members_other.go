//go:build !linux

package process

// Members is implemented only for Linux.
func (p *Process) Members() (pids []int, known bool) { return nil, false }
