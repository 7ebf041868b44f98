// Package plugintest holds a detector against the rules of the protocol.
//
// A plugin's test calls [Run] with its detector and a few recorded outputs of
// its runner. The detector is served over a real gRPC connection, so what
// passes here behaves the same under the host; only the process is missing.
// With Config.Binary it is there too.
//
//	func TestConformance(t *testing.T) {
//		plugintest.Run(t, plugintest.Config{
//			Description: tap.Description(),
//			Detector:    tap.New(),
//			Workspace:   sdk.Workspace{Root: "testdata/project"},
//			Cases:       plugintest.ReadCases(t, "testdata/cases"),
//		})
//	}
//
// The rules are those of package conform, which also stands behind "proctor
// plugin check" for plugins in any language; package golden describes cases.
// [Start] and [Parse] serve tests of one's own. The package is not responsible
// for judging whether results are right: it knows no runner.
package plugintest
