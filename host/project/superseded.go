package project

import (
	"context"
	"runtime"
	"slices"
	"weak"
)

// Superseded is what others have taken the place of, in a process that lives long: a
// plugin whose binary was replaced, a history whose file was. Runs may go on with
// one, and nobody says when the last of them ends: so it is closed when nothing
// refers to it any more.
type Superseded struct {
	// closers close one each, unless that has happened.
	closers []func(ctx context.Context) (was bool)
}

// CloseUnused hands over p, which the caller forgets. It must not be handed over before.
func CloseUnused[T any](r *Superseded, p *T, end func(context.Context, *T)) {
	runtime.SetFinalizer(p, func(p *T) {
		go end(context.Background(), p) // finalizers must not wait
	})
	left := weak.Make(p)
	r.closers = slices.DeleteFunc(r.closers, func(c func(context.Context) bool) bool { return !c(nil) })
	r.closers = append(r.closers, func(ctx context.Context) bool {
		p := left.Value()
		if p != nil && ctx != nil {
			end(ctx, p)
		}
		return p != nil
	})
}

// Close closes those that are left.
func (r *Superseded) Close(ctx context.Context) {
	for _, c := range r.closers {
		c(ctx)
	}
	r.closers = nil
}
