package fingerprint

import "context"

// Opening is a snapshot that has begun: git opens the repository, which takes it a few
// milliseconds, while the caller finds out what else the snapshot needs. It is for one
// goroutine. A nil Opening has not begun.
type Opening struct {
	cfg    Config
	stop   context.CancelFunc
	opened chan opened // nil after the snapshot was taken
}

// Open begins a snapshot, whose Outputs need not be known yet. It must be closed.
func Open(ctx context.Context, cfg Config) *Opening {
	ctx, stop := context.WithCancel(ctx)
	o := &Opening{cfg: cfg, stop: stop, opened: make(chan opened, 1)}
	go func() { o.opened <- open(ctx, cfg) }()
	return o
}

// Take takes the snapshot. What was opened serves once, and only for the same directory.
func (o *Opening) Take(ctx context.Context, cfg Config) (*Snapshot, error) {
	if o == nil || o.opened == nil || o.cfg.Root != cfg.Root || o.cfg.Git != cfg.Git {
		return Take(ctx, cfg)
	}
	select {
	case opened := <-o.opened:
		o.opened = nil
		return opened.take(ctx, cfg, nil)
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Close ends what is in progress.
func (o *Opening) Close() {
	if o == nil {
		return
	}
	o.stop()
	if o.opened == nil {
		return
	}
	if opened := <-o.opened; opened.repo != nil {
		opened.repo.close()
	}
}
