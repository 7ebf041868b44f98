package render

import (
	"fmt"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
)

// maxPruned is how many removed runs are named.
const maxPruned = 20

// Pruned says what was taken off the record.
func Pruned(p api.Pruned) string {
	var b strings.Builder
	would, freed := "removed", "freed"
	if p.DryRun {
		would, freed = "would remove", "would free about"
	}
	for _, run := range p.Removed[:min(len(p.Removed), maxPruned)] {
		fmt.Fprintf(&b, "%s run %s of %s (%s)\n", would, prose.Line(run.RunID), run.StartedAt.UTC().Format("2006-01-02 15:04 UTC"), exceededLimit(run.Limit, p))
	}
	if left := p.RemovedTotal - min(len(p.Removed), maxPruned); left > 0 {
		fmt.Fprintf(&b, "and %d more\n", left)
	}
	if p.Folders > 0 {
		fmt.Fprintf(&b, "%s %s without a run\n", would, api.Plural(p.Folders, "folder"))
	}
	switch {
	case p.RemovedTotal == 0 && p.Folders > 0:
		fmt.Fprintf(&b, "no run to remove, %s %s: %s, %s\n", freed, formatBytes(p.FreedBytes), api.Plural(p.Kept, "run"), formatBytes(p.SizeBytes))
	case p.RemovedTotal == 0 && p.Interrupted:
		fmt.Fprintf(&b, "nothing was removed: %s, %s\n", api.Plural(p.Kept, "run"), formatBytes(p.SizeBytes))
	case p.RemovedTotal == 0 && p.FreedBytes > 0 && !p.DryRun: // of runs removed before
		fmt.Fprintf(&b, "no run to remove, freed %s: %s, %s\n", formatBytes(p.FreedBytes), api.Plural(p.Kept, "run"), formatBytes(p.SizeBytes))
	case p.RemovedTotal == 0:
		fmt.Fprintf(&b, "nothing to remove: %s, %s\n", api.Plural(p.Kept, "run"), formatBytes(p.SizeBytes))
	default:
		fmt.Fprintf(&b, "%s %s, %s %s; %s left, %s\n", would, api.Plural(p.RemovedTotal, "run"), freed, formatBytes(p.FreedBytes), api.Plural(p.Kept, "run"), formatBytes(p.SizeBytes))
	}
	if p.Interrupted {
		b.WriteString("interrupted: the remaining runs are intact, and the next prune continues with the rest\n")
	}
	if len(p.Beyond) > 0 {
		limits := prose.Listed(p.Beyond, len(p.Beyond), len(p.Beyond), func(limit string) string { return exceededLimit(limit, p) })
		stay := "1 run stays, the last of a language in its session or in progress"
		if p.Held != 1 {
			stay = api.Plural(p.Held, "run") + " stay, each the last of a language in its session or in progress"
		}
		fmt.Fprintf(&b, "the record is still %s: %s\n", limits, stay)
	}
	return b.String()
}

// exceededLimit says which limit a run exceeded.
func exceededLimit(limit string, p api.Pruned) string {
	switch limit {
	case "runs":
		return fmt.Sprintf("beyond %s", api.Plural(p.MaxRuns, "run"))
	case "age":
		return "older than " + prose.Seconds(p.MaxAgeS)
	case "size":
		return "beyond " + formatBytes(p.MaxBytes)
	}
	return prose.Line(limit)
}

// formatBytes formats a size: "17 kB", "1.2 GB".
func formatBytes(n int64) string {
	const unit = 1000
	if n < unit {
		return api.Plural(int(n), "byte")
	}
	size, units := float64(n), []string{"kB", "MB", "GB", "TB"}
	at := -1
	for size >= unit && at+1 < len(units) {
		size /= unit
		at++
	}
	if size < 10 {
		return fmt.Sprintf("%.1f %s", size, units[at])
	}
	return fmt.Sprintf("%.0f %s", size, units[at])
}

// Exported says what was written to an archive.
func Exported(t api.Transfer) string {
	return fmt.Sprintf("%s in %s (%s)\n", runNames(t.Runs), prose.Line(t.File), formatBytes(t.Bytes))
}

// Imported says what was imported from an archive.
func Imported(t api.Transfer) string {
	var b strings.Builder
	if len(t.Runs) > 0 {
		fmt.Fprintf(&b, "imported %s from %s\n", runNames(t.Runs), prose.Line(t.File))
	}
	if len(t.OnRecord) > 0 {
		fmt.Fprintf(&b, "already on record: %s\n", runNames(t.OnRecord))
	}
	return b.String()
}

// runNames names some runs.
func runNames(ids []string) string {
	if len(ids) == 1 {
		return "run " + prose.Line(ids[0])
	}
	return fmt.Sprintf("%d runs: %s", len(ids), prose.Listed(ids, len(ids), maxPruned, prose.Line))
}
