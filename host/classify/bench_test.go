package classify_test

import (
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/sdk"
)

// usual are typical failure messages.
var usual = []string{
	"got 3, want 4",
	"Not equal: \n\texpected: \"alice\"\n\tactual  : \"bob\"\n\n\tDiff:\n\t--- Expected\n\t+++ Actual\n\t@@ -1 +1 @@\n\t-alice\n\t+bob",
	"runtime error: invalid memory address or nil pointer dereference\n[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x53039b]",
	"Received unexpected error:\n\topen /tmp/TestWrite2837465/001/cfg.toml: no such file or directory",
	"dial unix @e7f7f: connect: connection refused",
	`Get "http://127.0.0.1:40001/v1/users/6ba7b810-9dad-11d1-80b4-00c04fd430c8": context deadline exceeded (Client.Timeout exceeded while awaiting headers) after 1.23s`,
	"assertion failed: 115792089237316195423570985008687907853269984665640564039457584007913129639935 != 3",
	"panic: test timed out after 10m0s\n\trunning tests:\n\t\tTestA (9m58s)\n\ngoroutine 34 [running]:\nmain.(*server).handleConn(0xc0000140a8, {0x1234567890, 0xc000123456})\n\t/home/me/src/server.go:123 +0x1d",
	"./a.go:4:2: undefined: x1\n./b.go:17:33: cannot use v (variable of type int64) as uint32 value in argument to encodeUTF8",
	"mismatch (-want +got):\n  &User{\n- \tID: \"a1b2c3\",\n+ \tID: \"a1b2d3\",\n  \tName: \"x\",\n  }",
}

// BenchmarkSignature measures the cost for each failure of a run.
func BenchmarkSignature(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		for _, m := range usual {
			classify.Signature(api.Failure{Failure: sdk.Failure{Kind: "assertion", Message: m, Location: sdk.Location{File: "shop/billing_test.go"}}})
		}
	}
}
