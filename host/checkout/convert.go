package checkout

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/proctorhq/proctor/internal/lazyregexp"
)

// maxPointer is more than the size of a Git LFS pointer; see git-lfs(1), the pointer's
// specification.
const maxPointer = 1024

// maxAttributes bounds how much of an attributes file is read.
const maxAttributes = 1 << 20

var (
	filterAttribute = lazyregexp.New(`\bfilter=(\S+)`)
	pointerLines    = lazyregexp.New(`^version https://git-lfs\.github\.com/spec/v1\n(?:.*\n)*?oid sha256:([0-9a-f]{64})\nsize ([0-9]+)\n`)
)

// resolvePointers replaces Git LFS pointers with their content if the repository has it, and
// records which filters were not run.
func (c *Checkout) resolvePointers(ctx context.Context, from Repository, held tree, dir, shown string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	filters := map[string]bool{}
	for _, path := range held.attributes {
		for _, f := range filtersOf(root, path) {
			if !filters[f] && f != "lfs" {
				c.noteLack(fmt.Sprintf("what the filter %q makes of files (%s): filters are not run", f, joinShown(shown, path)))
			}
			filters[f] = true
		}
	}
	if !filters["lfs"] {
		return nil
	}
	missing, first := 0, ""
	for _, path := range held.small {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if there, err := resolvePointer(root, path, filepath.Join(from.Common, "lfs", "objects")); err != nil {
			return err
		} else if !there {
			if missing++; first == "" {
				first = joinShown(shown, path)
			}
		}
	}
	if missing > 0 {
		c.noteLack(fmt.Sprintf("the content of %d Git LFS pointers, such as %s", missing, first))
	}
	return nil
}

func filtersOf(root *os.Root, path string) []string {
	f, err := root.Open(filepath.FromSlash(path))
	if err != nil {
		return nil
	}
	defer f.Close()
	var filters []string
	for lines := bufio.NewScanner(io.LimitReader(f, maxAttributes)); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		if m := filterAttribute.FindStringSubmatch(line); m != nil && !strings.HasPrefix(line, "#") {
			filters = append(filters, m[1])
		}
	}
	return filters
}

// resolvePointer replaces a pointer with its content. there is false if the path is a
// pointer and the content is unavailable.
func resolvePointer(root *os.Root, path, objects string) (there bool, err error) {
	name := filepath.FromSlash(path)
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return true, nil
	}
	text, err := root.ReadFile(name)
	if err != nil {
		return false, err
	}
	m := pointerLines.FindSubmatch(text)
	if m == nil {
		return true, nil
	}
	id := string(m[1])
	size, err := strconv.ParseInt(string(m[2]), 10, 64)
	if err != nil {
		return false, nil
	}
	content, err := os.Open(filepath.Join(objects, id[:2], id[2:4], id))
	if err != nil {
		return false, nil
	}
	defer content.Close()
	if st, err := content.Stat(); err != nil || !st.Mode().IsRegular() || st.Size() != size {
		return false, nil
	}
	into, err := root.OpenFile(name, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return false, err
	}
	sum := sha256.New()
	_, err = io.Copy(into, io.TeeReader(content, sum))
	if err = errors.Join(err, into.Close()); err != nil {
		return false, err
	}
	if hex.EncodeToString(sum.Sum(nil)) != id {
		return false, root.WriteFile(name, text, info.Mode().Perm())
	}
	return true, nil
}
