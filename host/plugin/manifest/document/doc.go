// Package document reads and writes the JSON documents of plugins: manifests, lock
// files and indexes. Who reads one must read what every other reader does, since one
// decides and another executes. So it is stricter than encoding/json: no key twice,
// none in other letters than it is written here, nothing behind the end, nothing
// that is not UTF-8. An error has its place in the document.
//
// It is not responsible for what a document means.
package document
