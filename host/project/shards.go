package project

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/shard"
	"github.com/proctorhq/proctor/host/workspace"
)

// maxTimingsBytes bounds a file of timings: a million tests with long names.
const maxTimingsBytes = 256 << 20

// ReadTimings reads the file of recorded durations that a user named.
func ReadTimings(path, language string) (shard.Timings, error) {
	if path == "" {
		return shard.Timings{}, nil
	}
	refuse := func(why string) error {
		return &api.UsageError{Reason: path + ": " + why, Fix: "name a file with the timings of a run, or leave it out in every shard"}
	}
	info, err := os.Stat(path)
	var file *fs.PathError
	switch {
	case errors.As(err, &file):
		return shard.Timings{}, refuse(file.Err.Error())
	case err != nil:
		return shard.Timings{}, refuse(err.Error())
	case !info.Mode().IsRegular():
		return shard.Timings{}, refuse("it is not a regular file")
	case info.Size() > maxTimingsBytes:
		return shard.Timings{}, refuse(fmt.Sprintf("it has %d bytes, and at most %d are read", info.Size(), maxTimingsBytes))
	}
	f, err := os.Open(path)
	if err != nil {
		return shard.Timings{}, refuse(err.Error())
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxTimingsBytes))
	if err == nil {
		var t shard.Timings
		if t, err = shard.ReadTimings(raw, language); err == nil {
			return t, nil
		}
	}
	return shard.Timings{}, refuse(err.Error())
}

// AttemptIn returns which attempt of its CI job this is, as far as the provider says. A
// job that GitLab retries has a larger id.
func AttemptIn(env []string) int {
	for _, v := range []struct {
		name string
		from int // the number of the first attempt
	}{{"GITHUB_RUN_ATTEMPT", 1}, {"SYSTEM_JOBATTEMPT", 1}, {"BUILDKITE_RETRY_COUNT", 0}, {"CI_JOB_ID", 1}} {
		if n, err := strconv.Atoi(workspace.Getenv(env, v.name)); err == nil && n >= v.from {
			return n - v.from + 1
		}
	}
	return 1
}

// MaskAddresses replaces values that are URLs, which may contain a key, by their digests:
// reports of shards are uploaded. A word is a name and a value, or a flag.
func MaskAddresses(words []string) []string {
	masked := slices.Clone(words)
	for i, word := range masked {
		if name, value, ok := strings.Cut(word, "="); ok && strings.Contains(value, "://") {
			masked[i] = name + "=#" + Digest(value)
		}
	}
	return masked
}

// UnmaskAddresses restores the values that this environment has, too.
func UnmaskAddresses(words []string, environ []string) []string {
	plain := slices.Clone(words)
	for i, word := range plain {
		if name, digest, ok := strings.Cut(word, "=#"); ok {
			if value := workspace.Getenv(environ, name); Digest(value) == digest {
				plain[i] = name + "=" + value
			}
		}
	}
	return plain
}
