// Package procgroup starts a process in a process group that ends with it, and
// with us.
//
// It is the one place where proctor starts a process: test commands and plugins
// alike. It is not responsible for deadlines, for reading output, or for
// deciding what to start.
//
// # How the group ends with the host
//
// A killed host can run no code, and the parent-death signal of Linux fires
// when a thread ends and reaches no grandchild. So on Unix a watcher is started
// first, as the leader of a new group: a shell that reads from a pipe whose
// write end only the host holds. The process then joins that group. However the
// host ends, the kernel closes the pipe, the watcher reads the end of file and
// kills its own group.
//
// There is no window. A child that was forked and has not yet become its
// program still holds a copy of the write end, so the end of file cannot come
// before it has joined the group. And as the watcher is not reaped before
// [Process.Release], the id of the group cannot come to mean someone else's.
//
// [Prepare] starts the watcher beside a caller who has not yet got a process to start. The
// process starts while the watcher gets ready, which takes a millisecond. A signal to
// its own group in that time may end the watcher: then the group is unguarded, and
// [Process.Unguarded] says so.
//
// On Windows a job object does the same.
//
// A process that leaves the group on purpose, with setsid or setpgid, leaves
// the protection too; the process that was started itself is still signalled.
package procgroup
