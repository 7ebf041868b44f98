// Package watch runs tests again whenever the sources change.
//
// A round begins when the state of the sources differs from the one that the previous
// round saw. Events of the file system are only hints to look at the sources, so missed,
// repeated and misleading ones do no harm. A round first reruns what is outstanding, then
// runs what the changes can break. If an edit makes it stale, it is stopped, and the next
// round includes the changes that it did not get to.
//
// The package draws nothing and reads no keys: it tells a [Viewer] what happens, and
// receives commands through a channel.
package watch
