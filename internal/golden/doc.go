// Package golden compares answers with golden files, in which placeholders stand for what
// varies from run to run.
package golden
