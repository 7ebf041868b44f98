package golden

import "github.com/proctorhq/proctor/sdk"

// Coverage collects what a reader of coverage reports. It is an sdk.CoverageSink.
type Coverage struct {
	Suites []sdk.SuiteCoverage
	Errors []string
}

// Suite adds a suite.
func (c *Coverage) Suite(s sdk.SuiteCoverage) { c.Suites = append(c.Suites, s) }

func (c *Coverage) Error(text string) { c.Errors = append(c.Errors, text) }

// Outlines collects what an outliner reports. It is an sdk.OutlineSink.
type Outlines struct {
	Files []sdk.OutlinedFile
}

// File adds a file.
func (o *Outlines) File(f sdk.OutlinedFile) { o.Files = append(o.Files, f) }
