// Package plugintest checks a detector against the rules of the protocol.
//
// A plugin's test calls [Run] with its detector and a few recorded outputs of
// its runner. The detector is served over a real gRPC connection, so what
// passes here behaves the same under the host; only the process is missing.
// With Config.Binary that is included, too.
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
// The rules are those of package conform, also used by "proctor plugin check" for
// plugins in any language; package golden describes cases. [Start] and [Parse] are
// for tests of your own. The package knows no runner, so it cannot judge whether
// results are right.
package plugintest
