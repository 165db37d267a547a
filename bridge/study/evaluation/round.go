package main

import "math"

// to rounds to as many decimals as the published figures have.
func to(v float64, decimals int) float64 {
	power := math.Pow(10, float64(decimals))
	return math.Round(v*power) / power
}
