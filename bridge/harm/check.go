package harm

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"fairbridge/policy"
)

// Check is one judgement of one partition.
type Check struct {
	Partition string    `json:"partition"`
	At        time.Time `json:"at"`
	Verdict   Claim     `json:"verdict"`
	Reasons   []string  `json:"reasons"` // in sentences, the worst first
	Measurement
}

// JudgeMeasurement says whether there was harm: if one figure shows it. There was none if the mean
// wait of all jobs says so; of a part of the jobs nobody can often be sure.
func JudgeMeasurement(partition string, at time.Time, m Measurement, b Bounds) Check {
	m.Figures = slices.Clone(m.Figures)
	c := Check{Partition: partition, At: at, Verdict: CannotTell, Measurement: m}
	var bad []Figure
	for i := range m.Figures {
		f := &m.Figures[i]
		f.judge(&b, m.StopCount)
		switch {
		case f.Claim == Harm:
			bad = append(bad, *f)
		case f.Claim == NoHarm && f.isOfAll() && f.Kind == Wait:
			c.Verdict = NoHarm
		}
	}
	slices.SortStableFunc(bad, func(x, y Figure) int { return cmp.Compare(y.urgency(), x.urgency()) })
	for i := range bad {
		c.Verdict = Harm
		c.Reasons = append(c.Reasons, bad[i].describe(m.StopCount))
	}
	if c.Verdict != Harm {
		c.Reasons = []string{describeNoHarm(&c, &b)}
	}
	return c
}

// NewBlindCheck is a check of which no figures could be had, and why.
func NewBlindCheck(partition string, at time.Time, why string) Check {
	return Check{Partition: partition, At: at, Verdict: CannotTell, Reasons: []string{why}}
}

// urgency orders reasons: those of all jobs first, then by how far beyond the bound they are.
func (f *Figure) urgency() float64 {
	over := (f.Live - f.Alone) / max(f.Bound, 1)
	if f.isOfAll() {
		over += 1e6
	}
	return over
}

// describe says what is wrong with a figure.
func (f *Figure) describe(stops int) string {
	var said string
	switch f.Kind {
	case Wait:
		said = fmt.Sprintf("%s waited %s in the mean; with Slurm alone it would have been %s", f.who(), seconds(f.Live), seconds(f.Alone))
	case Slowdown:
		said = fmt.Sprintf("%s had a mean slowdown of %.3g; with Slurm alone it would have been %.3g", f.who(), f.Live, f.Alone)
	case Idle:
		said = fmt.Sprintf("%.3g %% of the GPUs stood idle while jobs waited; with Slurm alone it would have been %.3g %%", f.Live, f.Alone)
	}
	said += fmt.Sprintf(" (± %s, and %s more is allowed", f.FormatAmount(f.Doubt()), f.FormatAmount(f.Bound))
	if f.Kind == Wait && f.isOfAll() && f.Bound <= leastHarm {
		said += fmt.Sprintf(", since %s of running jobs had no benefit", policy.FormatCount(stops, "stop"))
	}
	return said + ")."
}

// who names the jobs of the figure.
func (f *Figure) who() string {
	said := policy.FormatCount(f.JobCount, "job")
	if f.Account != "" {
		said += " of account " + f.Account
	}
	if f.Size != "" {
		said += " of " + f.Size
	}
	return said
}

// FormatAmount writes a value in the unit of the figure.
func (f *Figure) FormatAmount(x float64) string {
	switch f.Kind {
	case Wait:
		return seconds(x)
	case Idle:
		return fmt.Sprintf("%.3g %%", x)
	}
	return fmt.Sprintf("%.3g", x)
}

func seconds(s float64) string { return policy.FormatSeconds(s) }

// describeNoHarm says why no harm is claimed.
func describeNoHarm(c *Check, b *Bounds) string {
	i := slices.IndexFunc(c.Figures, func(f Figure) bool { return f.isOfAll() && f.Kind == Wait })
	if i < 0 {
		return "No job arrived in the time that is looked at."
	}
	f := &c.Figures[i]
	said := fmt.Sprintf("%s waited %s in the mean; with Slurm alone it would have been %s (± %s)", f.who(), seconds(f.Live), seconds(f.Alone), seconds(f.Doubt()))
	switch {
	case c.Verdict == NoHarm:
		return said + "."
	case f.JobCount < b.Jobs:
		return fmt.Sprintf("%s; fewer than %s say nothing.", said, policy.FormatCount(b.Jobs, "job"))
	}
	return fmt.Sprintf("%s: the simulation may be off by more than would settle whether that is more than the %s allowed.", said, seconds(f.Bound))
}

// Summarize says the check in a line.
func (c *Check) Summarize() string {
	head := map[Claim]string{Harm: "Harm", NoHarm: "No harm", CannotTell: "Cannot tell"}[c.Verdict]
	return head + ": " + strings.Join(c.Reasons, " ")
}
