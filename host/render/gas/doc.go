// Package gas renders comparisons of the gas that tests used.
package gas
