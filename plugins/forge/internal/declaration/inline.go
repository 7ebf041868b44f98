package declaration

import (
	"bytes"
	"context"
	"strings"
)

// inlinePrefix begins a setting of forge within a comment.
const inlinePrefix = "forge-config:"

// maxInline bounds the settings that are returned of one source.
const maxInline = 1000

// Inline are the settings that comments of the project's own sources may make,
// by source: what stands behind "forge-config:" up to the end of the line. Where
// forge sees a comment is not decided here. It answers for the sources of the
// last question to [Finder.Tests]; before one there are none.
func (f *Finder) Inline(ctx context.Context) map[string][]string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.state == nil {
		return nil
	}
	s, err := f.opened(ctx)
	if err != nil {
		return nil
	}
	defer f.answered(ctx)
	found := map[string][]string{}
	for _, path := range s.listed {
		if source, ok := s.sources.get(path); ok {
			if settings := inlineSettings(source.text); settings != nil {
				found[path] = settings
			}
		}
	}
	return found
}

func inlineSettings(text []byte) (settings []string) {
	for len(settings) < maxInline {
		_, rest, found := bytes.Cut(text, []byte(inlinePrefix))
		if !found {
			break
		}
		line, after, _ := bytes.Cut(rest, []byte("\n"))
		settings = append(settings, strings.TrimRight(string(line), " \t\r"))
		text = after
	}
	return settings
}
