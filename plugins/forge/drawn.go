package forge

import (
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/proctorhq/proctor/plugins/forge/internal/arguments"
	"github.com/proctorhq/proctor/plugins/forge/internal/settings"
	"github.com/proctorhq/proctor/sdk"
)

// drawn tells what the inputs of fuzz tests depend on, beside the tests: forge
// 1.7.1 draws other ones from the same seed with another number of threads,
// where it runs other tests, and where it compiles some of the sources first,
// which a preparation is to prevent. Figures of fuzz tests are only compared where all of that was the same.
type drawn struct {
	seed    string
	threads int
	// filters are the options that select tests, as they were given.
	filters string
	// index is the file of the compiler's index, and before the sum of it before
	// the run; 0 is that there was none.
	index  string
	before uint32
}

// newDrawn is called before forge has had the time to compile.
func newDrawn(run sdk.RunInfo, s settings.Settings) drawn {
	d := drawn{seed: s.FuzzSeed, threads: s.Threads}
	if d.threads == 0 {
		d.threads = runtime.GOMAXPROCS(0)
	}
	if argv := run.Command.Argv; len(argv) > 2 {
		list, _ := arguments.Parse(argv[2:]) // proctor composed it
		d.filters = strings.Join(list.Words(selects), "\x00")
	}
	d.index = indexFile(run.Workspace.Root, s)
	d.before = sum(d.index)
	return d
}

// String is called when the run has ended. Of a recorded output nothing is
// known but the seed, and the string is empty.
func (d drawn) String() string {
	if d.seed == "" || d.index == "" {
		return ""
	}
	text := fmt.Sprintf("%s, threads %d", d.seed, d.threads)
	if d.filters != "" {
		text += fmt.Sprintf(", selection %08x", crc32.ChecksumIEEE([]byte(d.filters)))
	}
	// A run that compiles everything draws what one does that compiles nothing.
	if after := sum(d.index); d.before != 0 && after != d.before {
		text += fmt.Sprintf(", changes %08x", crc32.ChecksumIEEE(fmt.Append(nil, d.before, after)))
	}
	return text
}

// maxSummed bounds what is read of an index; the largest have some 10 MB.
const maxSummed = 64 << 20

// sum is the checksum of a file; 0 where there is none.
func sum(name string) uint32 {
	if !isFile(name) { // a pipe would block
		return 0
	}
	file, err := os.Open(name)
	if err != nil {
		return 0
	}
	defer func() { _ = file.Close() }()
	h := crc32.NewIEEE()
	if _, err := io.Copy(h, io.LimitReader(file, maxSummed)); err != nil {
		return 0
	}
	return h.Sum32()
}
