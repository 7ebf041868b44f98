// Package codec is the one place where the types of package sdk and the messages of the
// protocol become each other, in both directions: package server encodes what a plugin
// answers and decodes what it is asked, package client the reverse.
//
// Encoding repairs and bounds texts: what a runner printed is anything, and a message must be
// neither invalid nor too big. Decoding takes absent messages for zero values, and what this
// version does not know for the value that claims least.
package codec
