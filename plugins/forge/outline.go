package forge

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/proctorhq/proctor/plugins/forge/internal/settings"
	"github.com/proctorhq/proctor/plugins/forge/internal/solidity"
	"github.com/proctorhq/proctor/sdk"
)

const (
	// maxOutlined is the largest source to be split; hand-written ones are far below.
	maxOutlined = 10 << 20
	// maxUnitName bounds the name of a unit.
	maxUnitName = 500
)

// Outline implements [sdk.Outliner]: a unit for every top-level declaration and directive
// of a source. All are declarations, which change whatever is built from the file: forge
// only reports what is executed for whole contracts, so parts of contracts would be
// useless.
//
// The compiler appends a hash of all sources of a contract to its code, unless
// bytecode_hash is none or cbor_metadata is false. Then a comment affects the hash of
// the code and so the addresses of CREATE2, which tests compare with known ones, and
// every byte of the file counts.
func (d *Detector) Outline(ctx context.Context, req sdk.OutlineRequest, sink sdk.OutlineSink) error {
	hashes := settings.Read(req.Workspace).HashesText
	for _, file := range req.Files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !strings.HasSuffix(file, ".sol") {
			continue
		}
		if text, ok := readSource(req.Workspace.Root, file); ok {
			sink.File(sdk.OutlinedFile{File: file, Units: splitUnits(text, hashes)})
		}
	}
	return nil
}

// readSource reads a source anywhere.
func readSource(root, file string) ([]byte, bool) {
	path := filepath.FromSlash(file)
	if !filepath.IsAbs(path) {
		path = filepath.Join(root, path)
	}
	// Opening a pipe would block.
	if !isFile(path) {
		return nil, false
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxOutlined+1))
	return text, err == nil && len(text) <= maxOutlined
}

// splitUnits splits a source. If the text counts, a unit includes all that precedes it. The
// digest of a unit includes the name of the previous one, since their order decides how
// code is laid out.
func splitUnits(text []byte, hashes bool) []sdk.SourceUnit {
	var all []sdk.SourceUnit
	seen := map[string]int{}
	lines := &lineCounter{text: text, line: 1}
	items := solidity.Items(text)
	if len(items) == 0 && len(text) > 0 {
		items = []solidity.Item{{Stop: len(text)}}
	}
	behind, before := 0, ""
	for i, item := range items {
		name := unitName(item)
		if seen[name]++; seen[name] > 1 {
			name = fmt.Sprintf("%s %d", name, seen[name])
		}
		// Preceding comments belong to an item, trailing ones to the last.
		stop := item.Stop
		if i == len(items)-1 {
			stop = len(text)
		}
		content := text[behind:stop]
		if !hashes {
			content = solidity.Meaning(content)
		}
		all = append(all, sdk.SourceUnit{
			Name: name, Kind: sdk.UnitDeclaration, StartLine: lines.at(item.Start), EndLine: lines.at(item.Stop - 1),
			Digest: digestUnit(before, content), Measuring: asksContext(item.Kind, content),
		})
		behind, before = item.Stop, name
	}
	return all
}

// asksContext reports whether code may check whether it is measured. Interfaces, such as that
// of all cheat codes, which nearly every test knows, execute nothing.
func asksContext(kind string, content []byte) bool {
	return kind != "interface" && bytes.Contains(content, []byte("isContext"))
}

// unitName names an item.
func unitName(item solidity.Item) string {
	name := strings.ToValidUTF8(strings.TrimSpace(item.Kind+" "+item.Name), "\uFFFD")
	if name == "" {
		name = "other"
	}
	return clip(makeVisible(name), maxUnitName)
}

func digestUnit(before string, content []byte) string {
	hash := sha256.New()
	fmt.Fprintf(hash, "%d %s ", len(before), before)
	hash.Write(content)
	return hex.EncodeToString(hash.Sum(nil)[:16])
}

// lineCounter finds the lines of ascending places.
type lineCounter struct {
	text       []byte
	done, line int
}

func (l *lineCounter) at(offset int) int {
	l.line += bytes.Count(l.text[l.done:max(l.done, offset)], []byte("\n"))
	l.done = max(l.done, offset)
	return l.line
}
