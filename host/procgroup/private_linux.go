package procgroup

import "golang.org/x/sys/unix"

// KeepPrivate keeps other processes of the same user, such as the tests that it runs,
// from the streams, the memory and the initial environment of this one: they could
// answer in its name. It does not affect what it starts: executing a program undoes it.
// See prctl(2), PR_SET_DUMPABLE, and proc(5).
func KeepPrivate() {
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) // without it, it is as everywhere else
}
