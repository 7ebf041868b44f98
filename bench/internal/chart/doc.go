// Package chart draws curves as SVG. Both axes are logarithmic, so linear growth is a
// diagonal.
package chart
