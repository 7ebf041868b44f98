package plugin

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/go-hclog"
)

// recordArgs bounds the key-value pairs passed on from a log record.
const recordArgs = 32

// logRecord is one line of a plugin's standard error.
type logRecord struct {
	level   hclog.Level
	message string
	// args are keys and values as hclog takes them.
	args []any
	// plain reports whether the line is not a log record.
	plain bool
}

// parseRecord parses a line in hclog's JSON format; any other line is plain text.
// go-plugin's parser panics if "@message" is not a string.
func parseRecord(line []byte) logRecord {
	if fields := jsonObject(line); fields != nil {
		if record, ok := recordOf(fields); ok {
			return record
		}
	}
	return logRecord{level: hclog.Debug, message: cleanLine(string(line), lineMax), plain: true}
}

func jsonObject(line []byte) map[string]any {
	if len(line) == 0 || line[0] != '{' {
		return nil
	}
	var fields map[string]any
	if json.Unmarshal(line, &fields) != nil {
		return nil
	}
	return fields
}

func recordOf(fields map[string]any) (logRecord, bool) {
	message, ok := fields["@message"].(string)
	if !ok {
		return logRecord{}, false
	}
	level, _ := fields["@level"].(string)
	record := logRecord{level: hclog.LevelFromString(level), message: cleanLine(message, lineMax)}
	if record.level == hclog.NoLevel || record.level == hclog.Off {
		record.level = hclog.Debug
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if key == "@message" || key == "@level" || key == "@timestamp" || len(record.args) >= 2*recordArgs {
			continue
		}
		record.args = append(record.args, cleanLine(key, 64), cleanLine(fmt.Sprint(fields[key]), lineMax))
	}
	return record, true
}

func (r logRecord) String() string {
	if r.plain {
		return r.message
	}
	var b strings.Builder
	fmt.Fprintf(&b, "[%s] %s", strings.ToUpper(r.level.String()), r.message)
	for i := 0; i+1 < len(r.args); i += 2 {
		fmt.Fprintf(&b, " %v=%v", r.args[i], r.args[i+1])
	}
	return b.String()
}
