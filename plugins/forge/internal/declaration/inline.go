package declaration

import (
	"bytes"
	"context"
	"strings"
)

// inlinePrefix introduces a setting of forge in a comment.
const inlinePrefix = "forge-config:"

// maxInline bounds the settings returned for one source.
const maxInline = 1000

// Inline returns, by source, the settings that comments in the project's own sources
// may make: the text from "forge-config:" to the end of the line. It does not decide
// whether forge reads a setting in that comment. It covers the sources of the last call
// of [Finder.Tests]; before the first call there are none.
func (f *Finder) Inline(ctx context.Context) map[string][]string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.state == nil {
		return nil
	}
	s, err := f.open(ctx)
	if err != nil {
		return nil
	}
	defer f.dropIfCancelled(ctx)
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
