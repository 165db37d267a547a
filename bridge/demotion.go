package bridge

import (
	"context"
	"fmt"
	"time"
)

// Demotion lowers a partition to mode observe, whatever its configuration says, or takes its days
// from the candidate of its canary. It cannot raise a mode.
type Demotion struct {
	Partition string `json:"partition"`
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
	// ActiveDemotions returns those that stand now.
	ActiveDemotions(ctx context.Context, cluster string) ([]Demotion, error)
}

// Text says the demotion in a sentence or two.
func (d *Demotion) Text() string {
	until := "until somebody clears it: fairbridge guard clear " + d.Partition
	if !d.Until.IsZero() {
		until = "until " + d.Until.UTC().Format(time.RFC3339)
	}
	what := "is demoted to mode observe"
	if d.Candidate != "" {
		what = "is demoted, and the partition's own policy decides on all days,"
	}
	return fmt.Sprintf("%s %s by %s since %s, %s. %s", d.Subject(), what, d.By, d.Since.UTC().Format(time.RFC3339), until, d.Why)
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
	if p.Mode.Allows(ModeRank) {
		p.PlanAs, p.Mode = p.Mode, ModeObserve
	}
	return p
}

// FindDemotion returns that of a partition; nil: it is not demoted.
func FindDemotion(list []Demotion, partition string) *Demotion {
	return findDemotionOf(list, partition, "")
}

// FindCandidateDemotion returns that of the candidate of a partition's canary; nil: it has none, or
// that is not demoted.
func FindCandidateDemotion(list []Demotion, p *Partition) *Demotion {
	if p.Canary == nil {
		return nil
	}
	return findDemotionOf(list, p.Name, p.Canary.Candidate())
}

func findDemotionOf(list []Demotion, partition, candidate string) *Demotion {
	for i := range list {
		if list[i].Partition == partition && list[i].Candidate == candidate {
			return &list[i]
		}
	}
	return nil
}
