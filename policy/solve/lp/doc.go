// Package lp maximises linear programmes: small ones by the simplex method; those
// that divide several kinds of capacity among classes by column generation; and
// those on one kind by an interior-point method, for the point where that ends.
package lp
