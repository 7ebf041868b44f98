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

// drawContext is what the inputs of fuzz tests depend on besides the tests: from one
// seed, forge 1.7.1 draws different inputs with another number of threads, if it runs
// other tests, or if it first compiles some of the sources, which [prepare] avoids.
// Measures of fuzz tests are only compared if all of that is equal.
type drawContext struct {
	seed    string
	threads int
	// filters are the options that select tests, as given.
	filters string
	// index is the compiler's index file, and before its checksum before the run; 0
	// means that there was none.
	index  string
	before uint32
}

// newDrawContext must be called before forge has had time to compile.
func newDrawContext(run sdk.RunInfo, s settings.Settings) drawContext {
	d := drawContext{seed: s.FuzzSeed, threads: s.Threads}
	if d.threads == 0 {
		d.threads = runtime.GOMAXPROCS(0)
	}
	if argv := run.Command.Argv; len(argv) > 2 {
		list, _ := arguments.Parse(argv[2:]) // proctor composed it
		d.filters = strings.Join(list.Words(narrowsRun), "\x00")
	}
	d.index = indexFile(run.Workspace.Root, s)
	d.before = checksumFile(d.index)
	return d
}

// String describes the circumstances, after the run. It is empty for recorded output, of
// which only the seed is known.
func (d drawContext) String() string {
	if d.seed == "" || d.index == "" {
		return ""
	}
	text := fmt.Sprintf("%s, threads %d", d.seed, d.threads)
	if d.filters != "" {
		text += fmt.Sprintf(", selection %08x", crc32.ChecksumIEEE([]byte(d.filters)))
	}
	// A run that compiles everything draws like one that compiles nothing.
	if after := checksumFile(d.index); d.before != 0 && after != d.before {
		text += fmt.Sprintf(", changes %08x", crc32.ChecksumIEEE(fmt.Append(nil, d.before, after)))
	}
	return text
}

// maxSummed bounds how much of an index is read; the largest have some 10 MB.
const maxSummed = 64 << 20

// checksumFile returns the checksum of a file; 0 if there is none.
func checksumFile(name string) uint32 {
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
