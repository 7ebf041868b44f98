// Package codec is the one place that converts between the types of package sdk and the
// messages of the protocol: package server encodes answers and decodes requests,
// package client does the reverse.
//
// Encoding repairs and bounds texts, since a runner may print anything and a message
// must be neither invalid nor too large. Decoding turns absent messages into zero
// values, and values unknown to this version into the one that claims least.
package codec
