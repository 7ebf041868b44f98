// Package wording reads the words of a failure's message: what a test compared, in its own
// phrase or in that of an assertion library, and what the library put around it.
//
// It takes the lines of one message, and knows neither places nor sources.
package wording
