package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// flagValue is what a flag has for a value.
type flagValue interface {
	String() string
	Set(text string) error
	Type() string
}

// rangedValue is a number or a duration within bounds.
type rangedValue struct {
	flagValue
	minText, maxText string // as on a command line
}

// SetRange bounds a flag of a number or a duration. The bounds are written as on a
// command line, and belong to the range. What is outside is refused when the command line
// is read, before any file.
func SetRange(c *cobra.Command, name, least, most string) {
	f := c.Flags().Lookup(name)
	f.Value = rangedValue{f.Value, least, most}
}

// Set implements pflag.Value.
func (v rangedValue) Set(text string) error {
	before := v.String()
	if v.flagValue.Set(text) != nil || !v.contains(v.String()) {
		_ = v.flagValue.Set(before)
		return fmt.Errorf("want %s from %s to %s", v.noun(), v.minText, v.maxText)
	}
	return nil
}

func (v rangedValue) contains(text string) bool {
	x := v.parseNumber(text)
	return x >= v.parseNumber(v.minText) && x <= v.parseNumber(v.maxText)
}

// parseNumber is the number a text stands for: seconds of a duration.
func (v rangedValue) parseNumber(text string) float64 {
	if v.Type() == "duration" {
		d, _ := time.ParseDuration(text)
		return d.Seconds()
	}
	x, _ := strconv.ParseFloat(text, 64)
	return x
}

func (v rangedValue) noun() string {
	switch v.Type() {
	case "duration":
		return "a duration like 90s or 1h30m"
	case "float64":
		return "a number"
	}
	return "a whole number"
}

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
