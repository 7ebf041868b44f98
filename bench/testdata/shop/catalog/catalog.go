// Package catalog has tests that pass.
package catalog

// Item is a thing on sale.
type Item struct{ Name string }
