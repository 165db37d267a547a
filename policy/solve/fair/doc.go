// Package fair divides resources fairly: max-min by water filling, by dominant
// shares, in the two stages of HUG, and by Cobb-Douglas utilities.
package fair
