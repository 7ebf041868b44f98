package detectorpb

import _ "embed"

//go:embed proctor/detector/v1/detector.proto
var source []byte

// Source returns the schema, for plugins in languages that read it themselves.
func Source() []byte { return source }
