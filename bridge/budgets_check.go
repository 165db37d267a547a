package bridge

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Validate reports every impossible value at once, each with its key.
func (c *Budgets) Validate() error {
	errs := slices.Concat(c.leases(), c.stops(), c.writes(), c.doubts())
	errs = append(errs, noEmpty("exempt_users", c.ExemptUsers),
		noEmpty("exempt_accounts", c.ExemptAccounts), noEmpty("exempt_partitions", c.ExemptPartitions))
	for _, id := range c.ExemptJobs {
		errs = append(errs, within("exempt_jobs", id, 1, 1<<32))
	}
	return errors.Join(errs...)
}

// leases checks what bounds leases.
func (c *Budgets) leases() []error {
	return []error{
		within("lease_min", c.LeaseMin, 2*c.Skew, c.LeaseMax),
		within("lease_max", c.LeaseMax, time.Second, time.Hour),
		within("lease_total", c.LeaseTotal, c.LeaseMax, 7*24*time.Hour),
		within("deadline_margin", c.DeadlineMargin, 0, 24*time.Hour),
		within("max_dependants", c.MaxDependants, 0, 1_000_000),
		within("max_pending", c.MaxPending, time.Minute, 365*24*time.Hour),
	}
}

// stops checks what bounds requeues.
func (c *Budgets) stops() []error {
	return []error{
		within("quantum", c.Quantum, time.Second, 30*24*time.Hour),
		within("stop_pause", c.StopPause, time.Minute, 24*time.Hour),
		within("cooldown", c.Cooldown, 0, 30*24*time.Hour),
		within("job_stops_4h", c.JobStops4h, 0, 1000),
		within("job_stops_24h", c.JobStops24h, 0, 1000),
		within("user_stops_1h", c.UserStops1h, 0, 1_000_000),
		within("account_stops_1h", c.AccountStops1h, 0, 1_000_000),
		within("stop_percent", c.StopPercent, 0, 100),
		within("stop_percent_1h", c.StopPercent1h, 0, 10_000),
		within("stop_floor", c.StopFloor, 0, 1000),
		within("stop_floor_1h", c.StopFloor1h, 0, 10_000),
		within("lost_percent_24h", c.LostPercent24h, 0, 100),
		within("restart_cost", c.RestartCost, 0, 24*time.Hour),
		within("gain_factor", c.GainFactor, 0, 1000),
	}
}

// writes checks what bounds changes of any kind.
func (c *Budgets) writes() []error {
	return []error{
		within("mutations", c.Mutations, 1, 1_000_000),
		within("mutation_percent", c.MutationPercent, 0, 100),
		within("mutation_floor", c.MutationFloor, 1, c.Mutations),
		within("mutation_rate", c.MutationRate, 0.01, 1000),
		within("churn_percent", c.ChurnPercent, 0, 100),
		within("plan_churn_percent", c.PlanChurnPercent, c.ChurnPercent, 100),
		within("churn_floor", c.ChurnFloor, 0, 1_000_000),
		within("edit_cooldown", c.EditCooldown, 0, time.Hour),
	}
}

// doubts checks what leads to doubt, and the rest.
func (c *Budgets) doubts() []error {
	return []error{
		within("plan_stop_percent", c.PlanStopPercent, 0, 100),
		within("plan_stop_floor", c.PlanStopFloor, 0, 1_000_000),
		within("vanish_percent", c.VanishPercent, 0, 100),
		within("vanish_floor", c.VanishFloor, 0, 1_000_000),
		within("shrink_percent", c.ShrinkPercent, 0, 100),
		within("node_factor", c.NodeFactor, 1, 100),
		within("skew", c.Skew, time.Second, 5*time.Minute),
		within("snapshot_age", c.SnapshotAge, 0.01, 2),
		within("send_time", c.SendTime, time.Second, 10*time.Minute),
		within("yield_for", c.YieldFor, time.Hour, 24*time.Hour),
	}
}

// within rejects NaN too: it is within nothing.
func within[T cmp.Ordered](key string, v, lo, hi T) error {
	if v >= lo && v <= hi {
		return nil
	}
	return fmt.Errorf("%s: %v is not between %v and %v", key, v, lo, hi)
}

func noEmpty(key string, names []string) error {
	for i, n := range names {
		if n == "" {
			return fmt.Errorf("%s: entry %d is empty", key, i+1)
		}
	}
	return nil
}
