// Package market divides goods: by prices that clear Fisher's market, by a
// proportionally fair auction, and by trades between two kinds of a good.
package market
