// Package cli is the front for people: it turns flags into requests to the use cases, and
// their answers into text or JSON. It makes no decision about tests.
package cli
