package evaluation

import (
	"fmt"
	"math"
	"strings"

	"fairbridge/replica/paired"
	"fairbridge/replica/study"
)

// Drawings of ratios are so many characters wide, and show such ratios.
const (
	drawingWidth = 61
	leastDrawn   = 0.25
	mostDrawn    = 4
)

// drawRatios draws the ratios of mean completion of each policy in a line of characters, on a
// logarithmic axis with 1 in the middle. What is beyond its ends stands at them, as < or >.
func drawRatios(b *study.PairedBlock) string {
	width := 0
	for i := range b.Comparisons {
		width = max(width, len(b.Comparisons[i].PolicyLabel))
	}
	var text strings.Builder
	for i := range b.Comparisons {
		fmt.Fprintf(&text, "%-*s  %s\n", width, b.Comparisons[i].PolicyLabel, drawSpread(completionOf(b, i)))
	}
	axis := []rune(strings.Repeat(" ", drawingWidth+4))
	for _, tick := range []float64{0.25, 0.5, 0.7, 1, 1.4, 2, 4} {
		copy(axis[columnOf(tick):], []rune(paired.FormatRatio(tick)))
	}
	fmt.Fprintf(&text, "%-*s  %s\n", width, "", strings.TrimRight(string(axis), " "))
	return text.String()
}

// drawSpread draws one line.
func drawSpread(s paired.Spread) string {
	line := []rune(strings.Repeat(" ", drawingWidth))
	line[columnOf(1)] = '│'
	if s.SeedCount == 0 {
		return strings.TrimRight(string(line), " ")
	}
	for k := columnOf(s.Least); k <= columnOf(s.Greatest); k++ {
		if line[k] == ' ' {
			line[k] = '─'
		}
	}
	line[columnOf(s.Median)] = '●'
	if s.Least < leastDrawn {
		line[0] = '<'
	}
	if s.Greatest > mostDrawn {
		line[drawingWidth-1] = '>'
	}
	return strings.TrimRight(string(line), " ")
}

// columnOf is where a ratio stands in a line.
func columnOf(ratio float64) int {
	at := math.Log(min(max(ratio, leastDrawn), mostDrawn)/leastDrawn) / math.Log(mostDrawn/leastDrawn)
	return int(math.Round(at * (drawingWidth - 1)))
}
