// Package trace records the messages between a server and its clients, for whoever wants to
// know what they said. It is not responsible for what they mean.
package trace
