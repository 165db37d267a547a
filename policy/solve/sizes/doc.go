// Package sizes chooses how large each of many items becomes and on which bins it lies, so
// that the harmonic mean of what they are then worth is the most. An item lies on one bin,
// or is spread over several, of which each bears one such item at most.
//
// Sizes alone are a separable problem, solved exactly (counts.go); its value bounds what any
// places can reach. Where the sizes find no such places, single items and pairs are sized and placed
// anew as long as that gains (improve.go).
package sizes
