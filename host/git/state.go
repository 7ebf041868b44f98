package git

import (
	"context"
	"strings"
)

// DescribeFile says whether a file of the directory differs from the last commit, or changed
// with it. It returns "" if neither, or unknown.
func (g Git) DescribeFile(ctx context.Context, name string) string {
	if _, err := g.Line(ctx, "rev-parse", "--git-dir"); err != nil {
		return "" // nothing here is ever committed
	}
	// Not git status, which can be configured to ignore a file.
	now, err := g.Line(ctx, "hash-object", "--", name)
	if err != nil {
		return ""
	}
	committed, err := g.Line(ctx, "rev-parse", "--verify", "--quiet", "HEAD:./"+name)
	switch {
	case ctx.Err() != nil:
		return ""
	case err != nil:
		return name + " is not committed"
	case committed != now:
		return name + " has uncommitted changes"
	}
	if out, err := g.Run(ctx, "diff", "--name-only", "--no-ext-diff", "HEAD^1", "HEAD", "--", name); err == nil && strings.TrimSpace(string(out)) != "" {
		return name + " changed in the last commit"
	}
	return ""
}
