package procgroup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

const (
	// watcherShell is unused: the job object needs no watcher.
	watcherShell = ""

	// killedCode is the exit code of processes we kill, the same as the task manager's.
	killedCode = 1
)

// group is a job object. The system ends it when its last handle is closed, and so when
// the host ends.
type group struct {
	job       windows.Handle
	unguarded error
}

func newGroup(string) (*group, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, fmt.Errorf("create a job object: %w", err)
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		_ = windows.CloseHandle(job)
		return nil, fmt.Errorf("limit a job object: %w", err)
	}
	return &group{job: job}, nil
}

// newUnguarded returns a group without a job object. It is unused: there is always one.
func newUnguarded(because error) *group { return &group{unguarded: because} }

// awaitGuard returns at once: a job object needs no time to get ready.
func (g *group) awaitGuard(context.Context) error { return nil }

// attr starts the leader suspended, so that it has no children before it joins the job,
// and in its own console group, so that Ctrl-C reaches only the host.
func (g *group) attr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_SUSPENDED | windows.CREATE_NEW_PROCESS_GROUP}
}

// join puts the leader into the job and resumes it.
func (g *group) join(leader *os.Process) error {
	var err error
	handleErr := leader.WithHandle(func(handle uintptr) {
		err = windows.AssignProcessToJobObject(g.job, windows.Handle(handle))
	})
	if err = errors.Join(handleErr, err); err == nil {
		err = resume(uint32(leader.Pid))
	}
	if err != nil {
		_ = leader.Kill() // it may be outside the job, where nothing else ends it
		return fmt.Errorf("put it into a job object: %w", err)
	}
	return nil
}

// signal ends the job, or sends Ctrl-Break, the only signal that a console group can
// receive; programs in Go and other languages see an interrupt.
func (g *group) signal(leader *os.Process, sig syscall.Signal) error {
	switch sig {
	case syscall.SIGKILL:
		return windows.TerminateJobObject(g.job, killedCode)
	case syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM:
		return windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(leader.Pid))
	}
	return fmt.Errorf("signal %d on Windows: %w", int(sig), errors.ErrUnsupported)
}

func (g *group) close() { _ = windows.CloseHandle(g.job) }

// resume resumes all threads of a suspended process.
func resume(pid uint32) error {
	threads, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return err
	}
	defer func() { _ = windows.CloseHandle(threads) }()
	entry := windows.ThreadEntry32{}
	entry.Size = uint32(unsafe.Sizeof(entry))
	for err = windows.Thread32First(threads, &entry); err == nil; err = windows.Thread32Next(threads, &entry) {
		if entry.OwnerProcessID != pid {
			continue
		}
		thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, entry.ThreadID)
		if err != nil {
			return err
		}
		_, err = windows.ResumeThread(thread)
		_ = windows.CloseHandle(thread)
		if err != nil {
			return err
		}
	}
	if !errors.Is(err, windows.ERROR_NO_MORE_FILES) {
		return err
	}
	return nil
}
