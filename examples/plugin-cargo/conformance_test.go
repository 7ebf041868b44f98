package cargotest

import (
	"testing"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/plugintest"
)

func TestPluginPassesTheKit(t *testing.T) {
	var list []plugintest.Recording
	for _, r := range readRecordings(t) {
		switch r.Name { // the others are variations, and each takes a while
		case "lib", "lib-nocapture", "doc-2024", "segv", "hangs", "custom", "build-error", "manifest":
			list = append(list, r)
		}
	}
	list = append(list,
		plugintest.Stdout("nothing", nil, sdk.Exit{}),
		plugintest.Stdout("garbage", []byte("\x00\xff{]\nrunning 3 tests\ntest a ... o"), sdk.Exit{Code: 101}),
	)
	plugintest.Run(t, plugintest.Config{Description: Description(), Detector: New(), Workspace: newKitchen(t), Recordings: list})
}
