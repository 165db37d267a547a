package cli

import (
	"fmt"
	"strconv"
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
