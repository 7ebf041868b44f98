// Package plugintest holds a detector against the rules of the protocol.
//
// A plugin's test calls [Run] with its detector and a few recorded outputs of
// its runner. The detector is served over a real gRPC connection, so what
// passes here behaves the same under the host; only the process is missing.
//
//	func TestConformance(t *testing.T) {
//		plugintest.Run(t, plugintest.Config{
//			Description: tap.Description(),
//			Detector:    tap.New(),
//			Workspace:   sdk.Workspace{Root: "testdata/project"},
//			Recordings:  []plugintest.Recording{plugintest.ReadRecording(t, "testdata/red.tap", sdk.Exit{Code: 1})},
//		})
//	}
//
// [Start] and [Parse] serve tests of one's own. The package is not responsible
// for judging whether results are right: it knows no runner.
package plugintest
