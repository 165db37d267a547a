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
	errs := slices.Concat(c.checkLeases(), c.checkStops(), c.checkEdits(), c.checkDoubtsAndRest())
	errs = append(errs, checkNoEmptyName("exempt_users", c.ExemptUsers),
		checkNoEmptyName("exempt_accounts", c.ExemptAccounts), checkNoEmptyName("exempt_partitions", c.ExemptPartitions))
	for _, id := range c.ExemptJobs {
		errs = append(errs, checkRange("exempt_jobs", id, 1, 1<<32))
	}
	return errors.Join(errs...)
}

// checkLeases checks what bounds leases.
func (c *Budgets) checkLeases() []error {
	return []error{
		checkRange("lease_min", c.LeaseMin, 2*c.Skew, c.LeaseMax),
		checkRange("lease_max", c.LeaseMax, time.Second, time.Hour),
		checkRange("lease_total", c.LeaseTotal, c.LeaseMax, 7*24*time.Hour),
		checkRange("deadline_margin", c.DeadlineMargin, 0, 24*time.Hour),
		checkRange("max_dependants", c.MaxDependants, 0, 1_000_000),
		checkRange("max_pending", c.MaxPending, time.Minute, 365*24*time.Hour),
	}
}

// checkStops checks what bounds requeues.
func (c *Budgets) checkStops() []error {
	return []error{
		checkRange("quantum", c.Quantum, time.Second, 30*24*time.Hour),
		checkRange("stop_pause", c.StopPause, time.Minute, 24*time.Hour),
		checkRange("cooldown", c.Cooldown, 0, 30*24*time.Hour),
		checkRange("job_stops_4h", c.JobStops4h, 0, 1000),
		checkRange("job_stops_24h", c.JobStops24h, 0, 1000),
		checkRange("user_stops_1h", c.UserStops1h, 0, 1_000_000),
		checkRange("account_stops_1h", c.AccountStops1h, 0, 1_000_000),
		checkRange("stop_percent", c.StopPercent, 0, 100),
		checkRange("stop_percent_1h", c.StopPercent1h, 0, 10_000),
		checkRange("stop_floor", c.StopFloor, 0, 1000),
		checkRange("stop_floor_1h", c.StopFloor1h, 0, 10_000),
		checkRange("small_cluster_gpus", c.SmallClusterGPUs, 0, 1_000_000),
		checkRange("small_stop_percent", c.SmallStopPercent, 0, 100),
		checkRange("lost_percent_1h", c.LostPercent1h, 0, 100),
		checkRange("lost_percent_24h", c.LostPercent24h, 0, 100),
		checkRange("restart_cost", c.RestartCost, 0, 24*time.Hour),
		checkRange("neighbour_speed", c.NeighbourSpeed, 0, 0.95),
		checkRange("apart_for", c.ApartFor, time.Minute, 24*time.Hour),
		checkRange("recall", c.Recall, 0, time.Hour),
		checkRange("idle_min", c.IdleMin, time.Second, 24*time.Hour),
		checkRange("gain_factor", c.GainFactor, 0, 1000),
	}
}

// checkEdits checks what bounds changes of any kind.
func (c *Budgets) checkEdits() []error {
	return []error{
		checkRange("mutations", c.MaxEdits, 1, 1_000_000),
		checkRange("mutation_percent", c.EditPercent, 0, 100),
		checkRange("mutation_floor", c.EditFloor, 1, 1_000_000),
		checkRange("mutation_rate", c.EditRate, 0.01, 1000),
		checkRange("churn_percent", c.ChurnPercent, 0, 100),
		checkRange("plan_churn_percent", c.PlanChurnPercent, c.ChurnPercent, 100),
		checkRange("churn_floor", c.ChurnFloor, 0, 1_000_000),
		checkRange("edit_cooldown", c.EditCooldown, 0, time.Hour),
	}
}

// checkDoubtsAndRest checks what leads to doubt, and the rest.
func (c *Budgets) checkDoubtsAndRest() []error {
	return []error{
		checkRange("plan_stop_percent", c.PlanStopPercent, 0, 100),
		checkRange("plan_stop_floor", c.PlanStopFloor, 0, 1_000_000),
		checkRange("vanish_percent", c.VanishPercent, 0, 100),
		checkRange("vanish_floor", c.VanishFloor, 0, 1_000_000),
		checkRange("shrink_percent", c.ShrinkPercent, 0, 100),
		checkRange("node_factor", c.NodeFactor, 1, 100),
		checkRange("skew", c.Skew, time.Second, 5*time.Minute),
		checkRange("snapshot_age", c.SnapshotAge, 0.01, 2),
		checkRange("send_time", c.SendTime, time.Second, 10*time.Minute),
		checkRange("yield_for", c.YieldFor, time.Hour, 24*time.Hour),
	}
}

// checkRange rejects NaN too: it is within nothing.
func checkRange[T cmp.Ordered](key string, v, lo, hi T) error {
	if v >= lo && v <= hi {
		return nil
	}
	return fmt.Errorf("%s: %v is not between %v and %v", key, v, lo, hi)
}

func checkNoEmptyName(key string, names []string) error {
	for i, n := range names {
		if n == "" {
			return fmt.Errorf("%s: entry %d is empty", key, i+1)
		}
	}
	return nil
}
