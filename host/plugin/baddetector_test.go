//go:build unix

package plugin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/proctorhq/proctor/sdk"
)

// badDetector misbehaves in TestCmd or in its parser, behind a proper SDK.
type badDetector struct{ mode string }

func (d badDetector) Detect(context.Context, sdk.Workspace) (sdk.Detection, error) {
	return sdk.Detection{Detected: true}, nil
}

func (d badDetector) TestCmd(ctx context.Context, req sdk.TestRequest) (sdk.Plan, error) {
	good := sdk.Plan{Commands: []sdk.Command{{Argv: []string{"true"}, Env: map[string]string{"GOFLAGS": "-mod=mod"}}}}
	command := func(c sdk.Command) (sdk.Plan, error) { return sdk.Plan{Commands: []sdk.Command{c}}, nil }
	switch d.mode {
	case "panic":
		panic("in the handler")
	case "panic-goroutine":
		go func() { panic("in a goroutine") }()
		select {}
	case "fatal":
		m := map[int]int{}
		for range 4 {
			go func() {
				for {
					m[0]++
				}
			}()
		}
		select {}
	case "crash-once":
		if once() {
			os.Exit(4)
		}
	case "refuse":
		return sdk.Plan{}, &sdk.Error{Reason: sdk.ToolNotFound, Message: "install bad"}
	case "error":
		return sdk.Plan{}, errors.New("it does \x1b[31mnot\x1b[0m work")
	case "stop":
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
		select {} // another thread may have been stopped first
	case "hang":
		select {}
	case "hang-once":
		if once() {
			select {}
		}
	case "slow":
		time.Sleep(50 * time.Millisecond)
	case "grandchild":
		startHolder(false)
	case "grandchild-escaped":
		startHolder(true)
	case "flood-stdout":
		go flood(1, "stray\n")
	case "flood-stderr":
		go flood(2, "a line of log\n")
	case "bad-log":
		_, _ = syscall.Write(2, []byte("{\"@message\":1}\n{\"@message\":\"m\",\"@level\":[]}\n{\n\xff\xfe\n"))
	case "print":
		fmt.Println("a stray print")
	case "big-reply":
		return command(sdk.Command{Argv: []string{"true"}, Inputs: []sdk.InputFile{{Name: "big", Data: make([]byte, 5<<20)}}})
	case "escape-dir":
		return command(sdk.Command{Argv: []string{"true"}, Dir: "a/../../../etc"})
	case "bad-env":
		return command(sdk.Command{Argv: []string{"true"}, Env: map[string]string{"LD_PRELOAD": "evil.so"}})
	case "env-dump":
		entries, _ := os.ReadDir(".")
		for _, e := range entries {
			return command(sdk.Command{Argv: []string{"working directory holds", e.Name()}})
		}
		return command(sdk.Command{Argv: append([]string{"env"}, os.Environ()...)})
	}
	return good, nil
}

func (d badDetector) RerunCmd(ctx context.Context, req sdk.RerunRequest) (sdk.Plan, error) {
	return sdk.Plan{}, nil
}

func (d badDetector) ParseTestFailures(_ context.Context, _ sdk.RunInfo, sink sdk.Sink) sdk.Parser {
	return &badParser{mode: d.mode, sink: sink}
}

// badParser is a parser that misbehaves, or counts bytes.
type badParser struct {
	mode  string
	sink  sdk.Sink
	bytes int
}

func (p *badParser) Write(_ sdk.Stream, data []byte) {
	p.bytes += len(data)
	switch p.mode {
	case "exit-mid-stream":
		os.Exit(3)
	case "panic-mid-stream":
		panic("at byte " + fmt.Sprint(p.bytes))
	case "never-read":
		select {}
	case "flood-output":
		for {
			p.sink.Output(data)
		}
	}
}

func (p *badParser) Close(sdk.Exit) {
	switch p.mode {
	case "never-eof", "hang":
		select {}
	case "chatter":
		for {
			p.sink.Note("still at it")
			time.Sleep(time.Millisecond)
		}
	case "pass-of-nothing":
		p.sink.Test(sdk.TestResult{TestID: sdk.TestID{Suite: "s", Test: "t"}, Status: sdk.Passed})
	case "flood-events":
		for i := 0; ; i++ {
			p.sink.Test(sdk.TestResult{TestID: sdk.TestID{Suite: "s", Test: fmt.Sprint(i)}, Status: sdk.Passed})
		}
	case "long-texts":
		p.sink.Failure(sdk.Failure{TestID: sdk.TestID{Suite: "s", Test: strings.Repeat("n", 1<<20)}, Message: strings.Repeat("m", 1<<20)})
	}
	p.sink.Note(fmt.Sprint(p.bytes, " bytes"))
}

func (p *badParser) Progress() sdk.Progress { return sdk.Progress{RunningTotal: 1} }

// badLister can also list.
type badLister struct{ badDetector }

func (badLister) ListCmd(context.Context, sdk.ListRequest) (sdk.Plan, error) {
	return sdk.Plan{Commands: []sdk.Command{{Argv: []string{"list"}}}}, nil
}

func (badLister) ParseList(_ context.Context, _ sdk.ListRequest, cmd sdk.Command, sink sdk.ListSink) sdk.Parser {
	return &listParser{sink: sink, known: cmd.Known}
}

// listParser takes each word for a test, and knows a large project.
type listParser struct {
	sink  sdk.ListSink
	known bool
	text  []byte
}

func (p *listParser) Write(_ sdk.Stream, data []byte) { p.text = append(p.text, data...) }

func (p *listParser) Close(sdk.Exit) {
	suite := sdk.ListedSuite{Suite: "s"}
	for _, name := range strings.Fields(string(p.text)) {
		suite.Tests = append(suite.Tests, sdk.ListedTest{Name: name})
	}
	p.sink.Suite(suite)
	for i := 0; p.known && i < 2*freeEvents; i++ {
		p.sink.Suite(sdk.ListedSuite{Suite: fmt.Sprint("s", i)})
	}
}

// once reports whether it is called for the first time, in any process.
func once() bool {
	f, err := os.OpenFile(os.Getenv("HOME")+"/once", os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return false
	}
	_ = f.Close()
	return true
}
