package ledger

// AwaitAhead waits until what is opened ahead is open.
func (h *Keeper) AwaitAhead() {
	h.ahead.mu.Lock()
	defer h.ahead.mu.Unlock()
	if h.ahead.opened != nil {
		db := <-h.ahead.opened
		h.ahead.opened <- db
	}
}
