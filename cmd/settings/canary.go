package settings

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge"
	"fairbridge/policy"
	"fairbridge/policy/catalogue"
)

// Canary is another policy, or other parameters, that decides about a partition on some days.
type Canary struct {
	Policy string         `yaml:"policy"` // "": the partition's, with other parameters
	Params map[string]any `yaml:"params"`
	// DaysPerWeek days are drawn each week by Seed; 0: Weekdays are given.
	DaysPerWeek int      `yaml:"days_per_week"`
	Weekdays    []string `yaml:"weekdays"`
	Seed        int      `yaml:"seed"`
	Since       string   `yaml:"since"`     // the first day
	Until       string   `yaml:"until"`     // the last day
	TimeZone    string   `yaml:"time_zone"` // in which days begin; "": UTC
}

// isGiven reports whether the file has a canary.
func (c *Canary) isGiven() bool { return !reflect.ValueOf(*c).IsZero() }

// weekdays by their keys.
var weekdays = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

// findCanaryProblems checks the canary of a partition whose own policy is known.
func (p *Partition) findCanaryProblems() []error {
	c := &p.Canary
	if !c.isGiven() {
		return nil
	}
	_, errDays := c.newCanary(p)
	_, errPolicy := c.newPolicy(p)
	all := append(flattenErrors(errDays), flattenErrors(errPolicy)...)
	if c.policyName(p) == p.policyName() && formatParams(c.Params) == formatParams(p.Params) {
		all = append(all, errors.New("policy: it is the partition's own, with the same parameters: there is nothing to try"))
	}
	for i, err := range all {
		all[i] = fmt.Errorf("canary.%w", err)
	}
	return all
}

// shownCanaryDays is how many coming days of a canary are named.
const shownCanaryDays = 4

// DescribeCanaries says, a line for each partition with a canary, who decides there and when next.
func (f *File) DescribeCanaries(at time.Time) (lines []string) {
	config := f.newLoopConfig()
	for i := range config.Partitions {
		p := &config.Partitions[i]
		c := p.Canary
		if c == nil {
			continue
		}
		days := "on no day any more"
		if next := c.NextDays(p.Name, at, shownCanaryDays); len(next) > 0 {
			days = "next on " + formatDays(next)
		}
		lines = append(lines, fmt.Sprintf("Partition %s: %s decides in place of %s from %s until %s, %s; days begin at midnight in %s.",
			p.Name, c.Candidate(), bridge.FormatDecider(p.Policy, p.Params), c.Since.Format(time.DateOnly), c.Until.Format(time.DateOnly), days, c.Location))
	}
	return lines
}

func formatDays(days []time.Time) string {
	var names []string
	for _, day := range days {
		names = append(names, day.Format("Mon 2006-01-02"))
	}
	return strings.Join(names, ", ")
}

func (c *Canary) policyName(p *Partition) string { return cmp.Or(c.Policy, p.policyName()) }

// newPolicy makes the candidate.
func (c *Canary) newPolicy(p *Partition) (policy.Policy, error) {
	entry, err := catalogue.FindSystem(c.policyName(p))
	if err != nil {
		return nil, fmt.Errorf("policy: %w", err)
	}
	if entry.ObserveOnly != "" {
		return nil, fmt.Errorf("policy: %s may only observe: %s", entry.Name, entry.ObserveOnly)
	}
	made, err := entry.New(c.Params)
	var all []error
	for _, e := range flattenErrors(err) {
		all = append(all, fmt.Errorf("params: %w", e))
	}
	return made, errors.Join(all...)
}

// newCanary makes it without its policy, and reports every problem at once. It is nil where the
// file has none.
func (c *Canary) newCanary(p *Partition) (*bridge.Canary, error) {
	if !c.isGiven() {
		return nil, nil
	}
	var errs []error
	note := func(err error) {
		if err != nil {
			errs = append(errs, err)
		}
	}
	made := &bridge.Canary{Policy: c.policyName(p), Params: formatParams(c.Params), DaysPerWeek: c.DaysPerWeek, Seed: int64(c.Seed), Location: time.UTC}
	switch {
	case (c.DaysPerWeek != 0) == (len(c.Weekdays) > 0):
		note(errors.New("days_per_week: give either that or weekdays"))
	case c.DaysPerWeek != 0:
		note(checkBetween("days_per_week", c.DaysPerWeek, 1, 6))
	}
	for i, name := range c.Weekdays {
		day := slices.Index(weekdays, name)
		if day < 0 {
			note(fmt.Errorf("weekdays[%d]: %q is none of %s", i, name, strings.Join(weekdays, ", ")))
		}
		if !slices.Contains(made.Weekdays, time.Weekday(day)) {
			made.Weekdays = append(made.Weekdays, time.Weekday(day))
		}
	}
	if len(made.Weekdays) == 7 {
		note(errors.New("weekdays: these are all: make it the policy of the partition"))
	}
	var err error
	if made.Location, err = time.LoadLocation(c.TimeZone); err != nil || c.TimeZone == "Local" {
		note(fmt.Errorf("time_zone: %q is no time zone such as UTC or Europe/Berlin", c.TimeZone))
		made.Location = time.UTC
	}
	note(c.readDays(made))
	return made, errors.Join(errs...)
}

// readDays reads the first and the last day.
func (c *Canary) readDays(made *bridge.Canary) (err error) {
	var errs []error
	if made.Since, err = time.ParseInLocation(time.DateOnly, c.Since, made.Location); err != nil {
		errs = append(errs, fmt.Errorf("since: %q is not the first day of the canary, such as 2026-03-02", c.Since))
	}
	if made.Until, err = time.ParseInLocation(time.DateOnly, c.Until, made.Location); err != nil {
		errs = append(errs, fmt.Errorf("until: %q is not the last day of the canary, such as 2026-03-29", c.Until))
	} else if made.Until.Before(made.Since) {
		errs = append(errs, fmt.Errorf("until: %s comes before since, %s", c.Until, c.Since))
	}
	return errors.Join(errs...)
}
