package simulation

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// numberList is a flag of one or more numbers, separated by commas, each once. Some may be
// called by a name.
type numberList struct {
	numbers     []float64
	text        string
	least, most float64
	byName      map[string]float64
}

// String implements pflag.Value.
func (l *numberList) String() string { return l.text }

// Type implements pflag.Value.
func (l *numberList) Type() string { return "list" }

// Set implements pflag.Value.
func (l *numberList) Set(text string) error {
	var numbers []float64
	for word := range strings.SplitSeq(text, ",") {
		word = strings.TrimSpace(word)
		v, isName := l.byName[word]
		if !isName {
			var err error
			if v, err = strconv.ParseFloat(word, 64); err != nil || !(v >= l.least && v <= l.most) {
				return fmt.Errorf("want %snumbers from %g to %g, separated by commas, not %q", l.namesText(), l.least, l.most, word)
			}
		}
		if slices.Contains(numbers, v) {
			return fmt.Errorf("%q is named twice", word)
		}
		numbers = append(numbers, v)
	}
	l.numbers, l.text = numbers, text
	return nil
}

// namesText lists the names before the numbers: "none, half, all or ".
func (l *numberList) namesText() string {
	var names []string
	for name := range l.byName {
		names = append(names, name)
	}
	if len(names) == 0 {
		return ""
	}
	slices.SortFunc(names, func(a, b string) int {
		if l.byName[a] < l.byName[b] {
			return -1
		}
		return 1
	})
	return strings.Join(names, ", ") + " or "
}
