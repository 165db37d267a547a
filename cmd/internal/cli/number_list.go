package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// NumberList is a flag of one or more numbers, separated by commas, each once. Some may be
// called by a name.
type NumberList struct {
	Numbers     []float64
	Least, Most float64            // that each may be
	ByName      map[string]float64 // those that have a name; nil: none
	text        string
}

// String implements pflag.Value.
func (l *NumberList) String() string { return l.text }

// Type implements pflag.Value.
func (l *NumberList) Type() string { return "list" }

// Set implements pflag.Value.
func (l *NumberList) Set(text string) error {
	var numbers []float64
	for word := range strings.SplitSeq(text, ",") {
		word = strings.TrimSpace(word)
		v, isName := l.ByName[word]
		if !isName {
			var err error
			if v, err = strconv.ParseFloat(word, 64); err != nil || !(v >= l.Least && v <= l.Most) {
				return fmt.Errorf("want %snumbers from %g to %g, separated by commas, not %q", l.namesText(), l.Least, l.Most, word)
			}
		}
		if slices.Contains(numbers, v) {
			return fmt.Errorf("%q is named twice", word)
		}
		numbers = append(numbers, v)
	}
	l.Numbers, l.text = numbers, text
	return nil
}

// namesText lists the names before the numbers: "none, half, all or ".
func (l *NumberList) namesText() string {
	var names []string
	for name := range l.ByName {
		names = append(names, name)
	}
	if len(names) == 0 {
		return ""
	}
	slices.SortFunc(names, func(a, b string) int {
		if l.ByName[a] < l.ByName[b] {
			return -1
		}
		return 1
	})
	return strings.Join(names, ", ") + " or "
}
