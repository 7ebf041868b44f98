// Package atomicfile writes files whole: whoever reads one sees the old content or
// the new one, also after a crash or a power cut.
//
// It is not responsible for what may be replaced: a caller looks at what is there,
// and holds the lock where several write.
package atomicfile
