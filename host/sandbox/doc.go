// Package sandbox keeps the commands of an upload in bounds: no network, an
// environment made from nothing, no sight of the user's files, and nothing that
// can be written but a throw-away directory.
//
// On Linux it puts bubblewrap, a small and well-kept program, in front of a
// command: new user, mount, process, network, IPC and host-name namespaces, no
// capabilities and no way to new ones. Elsewhere there is no sandbox, and
// [Available] says so. Read [Box.Wrap] first.
//
// What it does not limit: the processor, the memory and the disk of all
// processes together (each process has at most 4 GiB of data, each file at most
// 256 MiB), and what the kernel offers to any process: there is no filter of
// system calls. A hole in the kernel is a hole in the sandbox.
//
// The package is not responsible for starting or ending processes (host/runner),
// for making or removing the directory (host/upload), or for deciding whether
// code may run without a sandbox (the facade).
package sandbox
