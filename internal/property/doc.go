// Package property checks properties of functions on random cases.
package property
