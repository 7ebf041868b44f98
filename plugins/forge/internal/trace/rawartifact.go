package trace

import (
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/proctorhq/proctor/plugins/forge/internal/artifact"
)

// maxArtifact bounds an artifact, in bytes.
const maxArtifact = 50 << 20

// rawArtifact has the fields that package artifact leaves out.
type rawArtifact struct {
	// Bytecode is the code that creates the contract, and Deployed what it leaves
	// behind.
	Bytecode    rawCode         `json:"bytecode"`
	Deployed    rawCode         `json:"deployedBytecode"`
	Metadata    json.RawMessage `json:"metadata"`
	RawMetadata string          `json:"rawMetadata"`
}

// rawCode is code in hex with its source map.
type rawCode struct {
	Object    string `json:"object"`
	SourceMap string `json:"sourceMap"`
}

// settings are the compiler's settings, from the metadata.
type settings struct {
	Settings struct {
		Optimizer struct {
			Enabled *bool          `json:"enabled"`
			Details map[string]any `json:"details"`
		} `json:"optimizer"`
		ViaIR  bool              `json:"viaIR"`
		Target map[string]string `json:"compilationTarget"`
	} `json:"settings"`
}

// readArtifact reads the artifact of a contract below out. Forge names it after the
// source file, and adds folders of its path if two files share a name.
func readArtifact(cfg artifact.Config, source, name string) (rawArtifact, settings, bool) {
	out := cfg.Out
	if out == "" {
		out = "out"
	}
	if !filepath.IsAbs(out) {
		out = filepath.Join(cfg.Root, out)
	}
	root, err := os.OpenRoot(out)
	if err != nil {
		return rawArtifact{}, settings{}, false
	}
	defer root.Close()
	for i := len(source); i > 0; {
		i = strings.LastIndexByte(source[:i], '/')
		var a rawArtifact
		if !readJSON(root, filepath.FromSlash(source[i+1:]+"/"+name+".json"), &a) {
			continue
		}
		var s settings
		text := a.Metadata
		if len(text) == 0 || text[0] != '{' {
			text = []byte(a.RawMetadata)
		}
		if json.Unmarshal(text, &s) == nil && s.Settings.Target[source] == name {
			return a, s, true
		}
	}
	return rawArtifact{}, settings{}, false
}

func readJSON(root *os.Root, name string, into any) bool {
	info, err := root.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := root.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxArtifact))
	return err == nil && json.Unmarshal(data, into) == nil
}

// isUnoptimized reports whether nothing rearranged the code. A project may enable single steps
// of the optimizer. Two of them work on single instructions and are always enabled.
func (s settings) isUnoptimized() bool {
	o := s.Settings.Optimizer
	if s.Settings.ViaIR || o.Enabled != nil && *o.Enabled || o.Enabled == nil && o.Details == nil {
		return false
	}
	for step, on := range o.Details {
		switch step {
		case "peephole", "jumpdestRemover", "simpleCounterForLoopUncheckedIncrement", "yulDetails":
		default:
			if on != false {
				return false
			}
		}
	}
	return true
}

// parseCode decodes code in hex. Placeholders for the addresses of libraries become
// zeros.
func parseCode(digits string) []byte {
	digits = strings.TrimPrefix(digits, "0x")
	for {
		at := strings.Index(digits, "__")
		if at < 0 {
			break
		}
		end := min(at+2*20, len(digits))
		digits = digits[:at] + strings.Repeat("0", end-at) + digits[end:]
	}
	code, err := hex.DecodeString(digits)
	if err != nil {
		return nil
	}
	return code
}

// parseSourceMap parses spans "start:length:source:jump:depth" separated by semicolons.
// An omitted field repeats that of the span before.
func parseSourceMap(text string) []artifact.Span {
	if text == "" {
		return nil
	}
	var spans []artifact.Span
	now := artifact.Span{Source: -1, Jump: '-'}
	for part := range strings.SplitSeq(text, ";") {
		for i := 0; part != "" && i < 4; i++ {
			var value string
			value, part, _ = strings.Cut(part, ":")
			if value == "" {
				continue
			}
			if i == 3 {
				now.Jump = value[0]
				continue
			}
			n, err := strconv.Atoi(value)
			if err != nil {
				return nil
			}
			*[...]*int{&now.Start, &now.Length, &now.Source}[i] = n
		}
		spans = append(spans, now)
	}
	return spans
}
