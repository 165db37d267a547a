package bridge

import (
	"cmp"
	"context"
	"fmt"
	"time"
)

// Demotion lowers a partition to mode observe, or where an operator says so to another, whatever its
// configuration says, or takes its days from the candidate of its canary. It cannot raise a mode.
type Demotion struct {
	Partition string `json:"partition"`
	// Mode is what the partition is lowered to; "": observe.
	Mode Mode `json:"mode,omitempty"`
	// Action is the id of the operator's action that it is, which guard clear does not end; 0: it is none.
	Action int64 `json:"action,omitempty"`
	// Candidate is that of the partition's canary which alone is demoted, policy with its
	// parameters; "": the whole partition is.
	Candidate string    `json:"candidate,omitempty"`
	Since     time.Time `json:"since"`
	Until     time.Time `json:"until,omitzero"` // zero: until somebody clears it
	By        string    `json:"by"`
	Why       string    `json:"why"`
}

// Demotions say which partitions are demoted.
type Demotions interface {
	// ActiveDemotions returns those that stand now, modes lowered by operators among them.
	ActiveDemotions(ctx context.Context, cluster string) ([]Demotion, error)
}

// Text says the demotion in a sentence or two.
func (d *Demotion) Text() string {
	until := "until somebody clears it: fairbridge guard clear " + d.Partition
	switch {
	case !d.Until.IsZero():
		until = "until " + FormatUTC(d.Until)
	case d.Action != 0:
		until = "until somebody asks for its configured mode: fairbridge operate mode " + d.Partition + " MODE"
	}
	what := "is demoted to mode observe"
	switch {
	case d.Candidate != "":
		what = "is demoted, and the partition's own policy decides on all days,"
	case d.Action != 0:
		what = fmt.Sprintf("is lowered to mode %s", d.LeftMode())
	}
	return fmt.Sprintf("%s %s by %s since %s, %s. %s", d.Subject(), what, d.By, FormatUTC(d.Since), until, d.Why)
}

// LeftMode is the mode that the partition is lowered to.
func (d *Demotion) LeftMode() Mode { return cmp.Or(d.Mode, ModeObserve) }

// Lowers reports whether the partition, as it is configured, is in a lower mode by the demotion.
func (d *Demotion) Lowers(p *Partition) bool {
	return d.Candidate == "" && p.Mode.Allows(ModeRank) && !d.LeftMode().Allows(p.Mode)
}

// Subject says what is demoted.
func (d *Demotion) Subject() string {
	if d.Candidate != "" {
		return fmt.Sprintf("the candidate %s of the canary of partition %s", d.Candidate, d.Partition)
	}
	return "partition " + d.Partition
}

// Demote returns the partition in the mode that is left to it.
func (d *Demotion) Demote(p Partition) Partition {
	switch {
	case !d.Lowers(&p):
	case d.LeftMode().Allows(ModeRank):
		p.Mode = d.LeftMode()
	default:
		p.PlanAs, p.Mode = p.Mode, ModeObserve
	}
	return p
}

// FindDemotion returns that of a partition, of several the one that lowers it most, and of those
// the first; nil: it is not demoted.
func FindDemotion(list []Demotion, partition string) *Demotion {
	var lowest *Demotion
	for i := range list {
		d := &list[i]
		if d.Partition == partition && d.Candidate == "" && (lowest == nil || !d.LeftMode().Allows(lowest.LeftMode())) {
			lowest = d
		}
	}
	return lowest
}

// FindCandidateDemotion returns that of the candidate of a partition's canary; nil: it has none, or
// that is not demoted.
func FindCandidateDemotion(list []Demotion, p *Partition) *Demotion {
	if p.Canary == nil {
		return nil
	}
	for i := range list {
		if list[i].Partition == p.Name && list[i].Candidate == p.Canary.Candidate() {
			return &list[i]
		}
	}
	return nil
}
