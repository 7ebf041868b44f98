// Package golden makes answers comparable with golden files by replacing what varies from
// run to run with placeholders.
package golden
