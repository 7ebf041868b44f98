// Package sandbox confines the commands of an upload: no network, an environment
// made from scratch, no access to the user's files, and nothing writable but a
// temporary directory.
//
// On Linux it puts bubblewrap, a small and well-maintained program, in front of a
// command: new user, mount, process, network, IPC and host-name namespaces, no
// capabilities and no way to gain any. Elsewhere there is no sandbox, and
// [Available] says so. Read [Box.Wrap] first.
//
// It does not limit the processor, memory and disk used by all processes together
// (each process has at most 4 GiB of data, each file at most 256 MiB), nor what the
// kernel offers to any process: it does not filter system calls. A hole in the
// kernel is a hole in the sandbox.
//
// It does not start or end processes (host/runner), make or remove the directory
// (host/upload), or decide whether code may run without a sandbox.
package sandbox
