package queues

// ClassOf returns the class of a size: the first whose threshold is at least as large, and
// the one beyond them all for larger ones. Thresholds ascend.
func ClassOf(size float64, thresholds []float64) int {
	for class, most := range thresholds {
		if size <= most {
			return class
		}
	}
	return len(thresholds)
}

// ClassByLoad returns the class of a size where classes are told apart by the work of all that
// was seen: those of the first class have together the first part of it, those of the first two
// the second, and so on. A size counts to where the middle of its own work is. Parts ascend.
func ClassByLoad(size float64, seen, parts []float64) int {
	below, all := size/2, size
	for _, s := range seen {
		if s < size {
			below += s
		}
		all += s
	}
	return ClassOf(below/all, parts)
}

// RatesOfShares returns the rate of each class from the shares of the whole that the first class
// is sure of, the first two together, and so on; the one beyond has the rest.
func RatesOfShares(shares []float64) []float64 {
	rates, before := make([]float64, len(shares)+1), 0.0
	for i, share := range shares {
		rates[i], before = share-before, share
	}
	rates[len(shares)] = 1 - before
	return rates
}
