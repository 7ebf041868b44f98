// Package document reads and writes the JSON documents of plugins: manifests, lock files
// and indexes. All readers of a document must understand the same, since one decides and
// another executes. So it is stricter than encoding/json: no duplicate keys, exact case,
// nothing after the end, valid UTF-8. Errors have a place in the document.
//
// It does not interpret documents.
package document
