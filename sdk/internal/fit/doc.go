// Package fit repairs and bounds texts for sending: valid UTF-8, within the limits of
// the protocol.
package fit
