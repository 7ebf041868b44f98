package trace

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/proctorhq/proctor/plugins/forge/internal/artifact"
)

// maxArtifacts bounds how many artifacts are searched for a code, and maxSearches how
// often that is done.
const (
	maxArtifacts = 2000
	maxSearches  = 5000
)

// library holds the code of the project's contracts, and finds the contract that
// deployed code belongs to.
type library struct {
	artifacts artifact.Config
	project   *artifact.Project
	texts     *texts
	known     map[[sha256.Size]byte]*program
	codes     map[string][]byte   // the compiler's output, by "source:name"
	programs  map[string]programs // by "source:name"
	searches  int
	before    *artifact.Config // nil if unknown
	earlier   *artifact.Project
}

// programs are the codes of one contract; nil if unusable.
type programs struct {
	deployed *program
	creating *program // prepared on demand
	creation rawCode
}

// maxPrograms bounds how many are kept: a large one takes some megabytes, and a test
// needs few.
const maxPrograms = 64

// trim drops the programs of earlier tests if there are many.
func (l *library) trim() {
	if len(l.programs) > maxPrograms {
		clear(l.programs)
		clear(l.known)
	}
}

func newLibrary(project *artifact.Project, cfg Config) *library {
	return &library{
		artifacts: cfg.Artifacts,
		project:   project,
		texts:     newTexts(project, cfg.Root, cfg.Libs),
		known:     map[[sha256.Size]byte]*program{},
		codes:     map[string][]byte{},
		programs:  map[string]programs{},
		before:    cfg.Before,
	}
}

// hasSameCode reports whether the suite has the same code as in the run before. Code ends with
// the hash of its compiler settings, which all contracts share.
func (l *library) hasSameCode(ctx context.Context, suite string) bool {
	if l.earlier == nil {
		if l.before == nil {
			return false
		}
		earlier, err := artifact.Open(ctx, *l.before)
		if err != nil {
			return false
		}
		l.earlier = earlier
	}
	source, name := splitKey(suite)
	c, err := l.earlier.Contract(ctx, source, name)
	return err == nil && len(c.Runtime) > 0 && bytes.Equal(c.Runtime, l.code(ctx, suite))
}

// suiteProgram returns the suite's program if it matches the deployed code. Since the name is
// known, the match is certain even if another contract has the same code.
func (l *library) suiteProgram(ctx context.Context, digits []byte, suite string) *program {
	code, err := hex.DecodeString(strings.TrimPrefix(string(digits), "0x"))
	if err != nil || !matchesDeployed(l.code(ctx, suite), code) {
		return nil
	}
	return l.load(ctx, suite).deployed
}

// findProgram finds the contract of deployed code in hex. It returns nil if no contract or
// several have this code, or if it was compiled such that places are inexact.
func (l *library) findProgram(ctx context.Context, digits []byte, suite string) *program {
	code, err := hex.DecodeString(strings.TrimPrefix(string(digits), "0x"))
	if err != nil || len(code) == 0 {
		return nil
	}
	sum := sha256.Sum256(code)
	p, ok := l.known[sum]
	if !ok {
		p = l.search(ctx, code, suite)
		if len(l.known) < maxCodes {
			l.known[sum] = p
		}
	}
	return p
}

// search searches the contracts of the suite's file and of those it imports, then all
// others.
func (l *library) search(ctx context.Context, code []byte, suite string) *program {
	unique := endsWithHash(code)
	found := ""
	for _, source := range l.searchOrder(suite) {
		for _, name := range l.project.Contracts(source) {
			key := source + ":" + name
			if ctx.Err() != nil || len(l.codes) >= maxArtifacts {
				return nil
			}
			switch {
			case !matchesDeployed(l.code(ctx, key), code):
			case unique:
				return l.load(ctx, key).deployed
			case found != "":
				return nil
			default:
				found = key
			}
		}
	}
	if found == "" {
		return nil
	}
	return l.load(ctx, found).deployed
}

// searchOrder lists the sources of the project for one search, those nearest to the suite
// first. It returns none if there were too many searches.
func (l *library) searchOrder(suite string) []string {
	if l.searches++; l.searches > maxSearches {
		return nil
	}
	source, _ := splitKey(suite)
	order, seen := []string{source}, map[string]bool{source: true}
	for i := 0; i < len(order); i++ {
		for _, imported := range l.project.Imports(order[i]) {
			if !seen[imported] {
				seen[imported] = true
				order = append(order, imported)
			}
		}
	}
	for _, file := range l.project.Files() {
		if !seen[file] {
			order = append(order, file)
		}
	}
	return order
}

// code returns the compiler's output for a contract.
func (l *library) code(ctx context.Context, key string) []byte {
	code, ok := l.codes[key]
	if !ok {
		source, name := splitKey(key)
		if c, err := l.project.Contract(ctx, source, name); err == nil {
			code = c.Runtime
		}
		l.codes[key] = code
	}
	return code
}

// load prepares the codes of a contract. The compiler's marks of calls are reliable
// only if nothing rearranged the code.
func (l *library) load(ctx context.Context, key string) programs {
	p, ok := l.programs[key]
	if ok {
		return p
	}
	source, name := splitKey(key)
	if c, err := l.project.Contract(ctx, source, name); err == nil {
		// The artifacts of one contract by several profiles are side by side.
		raw, s, ok := readArtifact(l.artifacts, source, name)
		if ok && s.isUnoptimized() && bytes.Equal(parseCode(raw.Deployed.Object), c.Runtime) {
			p.deployed = newProgram(c, l.texts, c.Runtime, c.SourceMap)
			p.creation = raw.Bytecode
		}
	}
	l.programs[key] = p
	return p
}

// findCreating finds the contract that creation code, in hex and followed by the arguments,
// was meant to create.
func (l *library) findCreating(ctx context.Context, digits []byte, suite string) *program {
	code, err := hex.DecodeString(strings.TrimPrefix(string(digits), "0x"))
	if err != nil {
		return nil
	}
	for _, source := range l.searchOrder(suite) {
		for _, name := range l.project.Contracts(source) {
			if ctx.Err() != nil || len(l.codes) >= maxArtifacts {
				return nil
			}
			key := source + ":" + name
			deployed := l.code(ctx, key)
			// Creation code contains the code to deploy, which ends with its own hash.
			if !endsWithHash(deployed) || !bytes.Contains(code, deployed[len(deployed)-hashLength:]) {
				continue
			}
			if p := l.loadCreating(ctx, key); p != nil && len(p.code) <= len(code) && matchesDeployed(p.code, code[:len(p.code)]) {
				return p
			}
		}
	}
	return nil
}

func (l *library) loadCreating(ctx context.Context, key string) *program {
	p := l.load(ctx, key)
	if p.deployed != nil && p.creating == nil {
		p.creating = newProgram(p.deployed.contract, l.texts, parseCode(p.creation.Object), parseSourceMap(p.creation.SourceMap))
		l.programs[key] = p
	}
	return p.creating
}

// matchesDeployed reports whether deployed code matches the compiler's output, in which the parts
// filled in on deployment are zero: addresses of libraries, and immutables.
func matchesDeployed(written, deployed []byte) bool {
	if len(written) == 0 || len(written) != len(deployed) {
		return false
	}
	for i, c := range written {
		if c != 0 && c != deployed[i] {
			return false
		}
	}
	return true
}

// hashLength is at most the length of the metadata after hashed code.
const hashLength = 40

// endsWithHash reports whether code ends with the hash of its metadata. The hash is unique to
// a contract, because the metadata contains its name and the hashes of its sources. The
// last two bytes are the length of the metadata (CBOR).
func endsWithHash(code []byte) bool {
	if len(code) < 2 {
		return false
	}
	size := int(code[len(code)-2])<<8 | int(code[len(code)-1])
	if size+2 > len(code) || size+2 < hashLength {
		return false
	}
	metadata := code[len(code)-2-size : len(code)-2]
	return bytes.Contains(metadata, []byte("dipfsX\"")) || bytes.Contains(metadata, []byte("ebzzr1X "))
}

// splitKey splits the name of a suite or contract.
func splitKey(key string) (source, name string) {
	at := strings.LastIndexByte(key, ':')
	if at < 0 {
		return "", key
	}
	return key[:at], key[at+1:]
}
