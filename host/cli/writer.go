package cli

import "io"

// checkedWriter remembers that something could not be written: an answer that
// nobody got must not look like one. A reader that went away is no error: it had
// seen enough.
type checkedWriter struct {
	w   io.Writer
	err error
}

func (c *checkedWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	if readerGone(err) {
		return len(p), nil
	}
	if c.err == nil {
		c.err = err
	}
	return n, err
}
