// Package toollist writes the list of tools as it is sent: a model reads it in every
// conversation. It does not say which tools there are.
package toollist
