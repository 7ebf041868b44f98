// Package watch runs tests again whenever the sources change.
//
// The state of the sources decides: a round begins when it differs from the one that the
// round before saw. Events of the file system only hint that it is worth looking, so
// that missed, doubled and misleading ones do no harm. A round first reruns what is
// outstanding, then runs what the changes can break; one that an edit made stale is
// stopped, and what it did not get to stays changed for the next.
//
// The package draws nothing and reads no keys: [Viewer] is told what happens, and
// commands come through a channel.
package watch
