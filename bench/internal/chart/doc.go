// Package chart draws curves as SVG. Both axes are logarithmic, so what is linear rises by a
// square in each square.
package chart
