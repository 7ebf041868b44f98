//go:build !linux

package process

// Members is for Linux, which tells of groups.
func (p *Process) Members() (pids []int, known bool) { return nil, false }
