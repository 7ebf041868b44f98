package plugin

import "strings"

// maxSettings and maxSetting bound what narrows a run: it is part of the verdict's
// line.
const (
	maxSettings = 20
	maxSetting  = 200
)

// boundSettings shortens the settings that narrow a run. Different ones stay different,
// as they distinguish runs.
func boundSettings(settings []string) []string {
	if len(settings) > maxSettings {
		rest := strings.Join(settings[maxSettings-1:], ", ")
		settings = append(settings[:maxSettings-1:maxSettings-1], rest)
	}
	for i, s := range settings {
		if settings[i] = cleanLine(boundTo(s, maxSetting), maxSetting); strings.TrimSpace(settings[i]) == "" {
			settings[i] = "a setting that the plugin does not name"
		}
	}
	return settings
}
