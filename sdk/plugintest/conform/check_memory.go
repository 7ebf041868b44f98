package conform

import (
	"bytes"
	"context"
	"fmt"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
	"github.com/proctorhq/proctor/sdk/plugintest/golden"
	"github.com/proctorhq/proctor/sdk/plugintest/process"
)

// defaultFlood is much more than a runtime keeps for its own purposes.
const defaultFlood = 64 << 20

// checkMemory sends a line without an end and watches how much memory the process needs.
func checkMemory(ctx context.Context, s *subject, p *probe) {
	if !s.connect(ctx, p) {
		return
	}
	before, _, ok := groupMemory(s.main)
	if !ok {
		p.exempt("the memory of a process can be read only on Linux")
		return
	}
	flood := s.Flood
	if flood == 0 {
		flood = defaultFlood
	}
	limited, cancel := context.WithTimeout(ctx, s.ParseLimit)
	defer cancel()
	if err := floodParser(limited, s, flood); err != nil {
		s.reportBroken(ctx, p, fmt.Sprintf("a line of %d MiB", flood>>20), err)
		return
	}
	_, peak, ok := groupMemory(s.main)
	if !ok {
		p.skip("the plugin ended before its memory was read")
		return
	}
	grown := peak - before
	p.note(fmt.Sprintf("a line of %d MiB took %d MiB", flood>>20, grown>>20))
	if grown >= flood {
		p.fail(fmt.Sprintf("for a line of %d MiB the plugin took %d MiB more", flood>>20, grown>>20), "pass on, count or drop what exceeds any line that matters, such as 1 MiB")
	}
}

// groupMemory returns the memory of a plugin and of what it started: it may be a script
// that starts the real one.
func groupMemory(p *process.Process) (now, peak int64, ok bool) {
	pids, known := p.Members()
	if !known {
		return 0, 0, false
	}
	for _, pid := range pids {
		if one, most, there := residentMemory(pid); there {
			now, peak, ok = now+one, peak+most, true
		}
	}
	return now, peak, ok
}

func floodParser(ctx context.Context, s *subject, size int64) error {
	stream, err := s.detector.Parse(ctx, sdk.RunInfo{}, client.ParseOptions{}, new(golden.Events))
	if err != nil {
		return err
	}
	defer stream.Cancel()
	piece := bytes.Repeat([]byte("x"), sdk.SendChunk)
	for sent := int64(0); sent < size; sent += int64(len(piece)) {
		if err := stream.Send(sdk.Stdout, piece); err != nil {
			return err
		}
	}
	return stream.Close(sdk.Exit{Code: 1})
}
