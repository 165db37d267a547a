package bridge

import (
	"crypto/sha256"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"fairbridge/policy"
)

// Canary is a candidate that decides about a partition on some days, while the partition's own
// policy, the incumbent, decides on the others. Which days those are follows from the name of the
// partition, the date and what stands here, so that everybody can work it out beforehand and a
// restart changes nothing.
type Canary struct {
	Policy         string // catalogue name
	Params         string // printed parameters, for the record
	DecidingPolicy policy.Policy

	// DaysPerWeek is how many days of each week, Monday to Sunday, are drawn; 0: those of Weekdays.
	DaysPerWeek int
	Weekdays    []time.Weekday
	Seed        int64
	Since       time.Time      // the first day, at its midnight in Location: on none before it decides
	Until       time.Time      // the last day, likewise
	Location    *time.Location // where days begin
}

// Candidate is its policy with its parameters, as people read it.
func (c *Canary) Candidate() string { return FormatDecider(c.Policy, c.Params) }

// FormatDecider writes a policy with its parameters as people read it.
func FormatDecider(policy, params string) string { return strings.TrimSpace(policy + " " + params) }

// IsDrawn reports whether its days are drawn, not named.
func (c *Canary) IsDrawn() bool { return c.DaysPerWeek > 0 }

// Day returns the midnight at which the day of a moment began.
func (c *Canary) Day(at time.Time) time.Time {
	y, m, d := at.In(c.Location).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, c.Location)
}

// Week returns the Monday of a moment's week, at its midnight.
func (c *Canary) Week(at time.Time) time.Time {
	day := c.Day(at)
	return day.AddDate(0, 0, -(int(day.Weekday())+6)%7)
}

// DecidesAt reports whether the candidate decides about the partition at a moment.
func (c *Canary) DecidesAt(partition string, at time.Time) bool {
	day := c.Day(at)
	if day.Before(c.Since) || day.After(c.Until) {
		return false
	}
	if !c.IsDrawn() {
		return slices.Contains(c.Weekdays, day.Weekday())
	}
	return slices.ContainsFunc(c.drawDays(partition, c.Week(at)), day.Equal)
}

// NextDays returns the first days from a moment on, at most so many, on which the candidate decides,
// that of the moment included.
func (c *Canary) NextDays(partition string, at time.Time, most int) (days []time.Time) {
	for day := c.Day(at); len(days) < most && !day.After(c.Until); day = day.AddDate(0, 0, 1) {
		if c.DecidesAt(partition, day) {
			days = append(days, day)
		}
	}
	return days
}

// drawDays returns the days of the week that begins then: those with the least SHA-256 of
// "PARTITION SEED DATE".
func (c *Canary) drawDays(partition string, monday time.Time) []time.Time {
	type ticket struct {
		day time.Time
		sum [sha256.Size]byte
	}
	tickets := make([]ticket, 7)
	for i := range tickets {
		day := monday.AddDate(0, 0, i)
		tickets[i] = ticket{day, sha256.Sum256(fmt.Appendf(nil, "%s %d %s", partition, c.Seed, day.Format(time.DateOnly)))}
	}
	slices.SortFunc(tickets, func(a, b ticket) int { return slices.Compare(a.sum[:], b.sum[:]) })
	days := make([]time.Time, c.DaysPerWeek)
	for i := range days {
		days[i] = tickets[i].day
	}
	return days
}

// Decider is a policy with its parameters on a partition.
type Decider struct{ Partition, Policy, Params string }

// Decider is who decides about the partition by its own policy.
func (p *Partition) Decider() Decider { return Decider{p.Name, p.Policy, p.Params} }

// DecidedAt returns the partition as it is decided about at a moment: on its days with the
// candidate's policy, else with its own.
func (p *Partition) DecidedAt(at time.Time) Partition {
	decided := *p
	if c := p.Canary; c != nil && c.DecidesAt(p.Name, at) {
		decided.Policy, decided.Params, decided.DecidingPolicy = c.Policy, c.Params, c.DecidingPolicy
	}
	return decided
}

// IsCanaryVoid reports whether the candidate is the partition's own policy in all that it is set to,
// however that is written: a parameter that is given its default changes nothing.
func (p *Partition) IsCanaryVoid() bool {
	return p.Canary != nil && p.Canary.Policy == p.Policy && reflect.DeepEqual(p.Canary.DecidingPolicy, p.DecidingPolicy)
}

// PolicyOf returns the policy that a record of the partition names: the candidate's where it is
// that, else its own.
func (p *Partition) PolicyOf(name, params string) policy.Policy {
	if c := p.Canary; c != nil && c.Policy == name && c.Params == params {
		return c.DecidingPolicy
	}
	return p.DecidingPolicy
}

// DecidedUnder returns the partition as it is decided about at a moment with the demotions there are: by
// its own policy or its canary's, unless that is demoted, and in the mode that is left to it.
func (p *Partition) DecidedUnder(demotions []Demotion, at time.Time) Partition {
	decided := *p
	if FindCandidateDemotion(demotions, p) == nil {
		decided = decided.DecidedAt(at)
	}
	if d := FindDemotion(demotions, p.Name); d != nil {
		decided = d.Demote(decided)
	}
	return decided
}
