package procgroup

import "sync/atomic"

// Prepared is a group that waits for its process. It serves one [Start]; nil, or one that
// has served, is none.
type Prepared struct {
	taken atomic.Bool
	made  chan struct{} // closed when what follows is set
	group *group
	err   error
}

// Prepare makes a group beside its caller, who has other things to do before it can start a
// process: starting the watcher takes a millisecond. The caller must call
// [Prepared.Discard].
func Prepare() *Prepared { return prepare(watcherShell) }

// prepare is Prepare with a choice of shell for the watcher.
func prepare(shell string) *Prepared {
	p := &Prepared{made: make(chan struct{})}
	go func() {
		defer close(p.made)
		p.group, p.err = newGroup(shell)
	}()
	return p
}

// take returns the group, or a new one if there is none. It belongs to the caller from now
// on.
func (p *Prepared) take() (*group, error) {
	if p == nil || p.taken.Swap(true) {
		return newGroup(watcherShell)
	}
	<-p.made
	return p.group, p.err
}

// Discard ends a group that got no process.
func (p *Prepared) Discard() {
	if p == nil || p.taken.Swap(true) {
		return
	}
	<-p.made
	if p.err == nil {
		p.group.close()
	}
}
