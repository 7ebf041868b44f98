// Package fit makes texts fit to be sent: valid UTF-8 and within the limits of the
// protocol.
package fit
