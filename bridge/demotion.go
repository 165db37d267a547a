package bridge

import (
	"context"
	"fmt"
	"time"
)

// Demotion lowers a partition to mode observe, whatever its configuration says. It cannot raise
// a mode.
type Demotion struct {
	Partition string    `json:"partition"`
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
	return fmt.Sprintf("partition %s is demoted to mode observe by %s since %s, %s. %s", d.Partition, d.By, d.Since.UTC().Format(time.RFC3339), until, d.Why)
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
	for i := range list {
		if list[i].Partition == partition {
			return &list[i]
		}
	}
	return nil
}
