// Package calc divides numbers, with a mistake in it.
package calc

import "errors"

// ErrDivisionByZero is what Divide returns for a zero divisor.
var ErrDivisionByZero = errors.New("division by zero")

// Divide returns a/b, rounded towards zero.
func Divide(a, b int) (int, error) {
	if b == 0 {
		return 0, nil // the mistake: it should be ErrDivisionByZero
	}
	return a / b, nil
}
