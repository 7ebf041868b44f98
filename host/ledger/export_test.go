package ledger

// AwaitAhead waits until what is opened ahead is open.
func (k *Keeper) AwaitAhead() {
	k.ahead.mu.Lock()
	defer k.ahead.mu.Unlock()
	if k.ahead.opened != nil {
		db := <-k.ahead.opened
		k.ahead.opened <- db
	}
}

// AwaitOutside waits until the states outside of the workspace have been determined.
func (w *StateWatch) AwaitOutside() { <-w.outside.done }
