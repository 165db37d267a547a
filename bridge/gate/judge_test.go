package gate_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/gate"
	"fairbridge/bridge/slurm"
)

// judge returns the invariants that the accepted edits break, one by one and
// together.
func judge(in gate.EditInput, intents []bridge.Intent, accepted []slurm.Edit) error {
	written, spots := in.EditsSpentElsewhere, map[string]bool{}
	stopped := map[string]int{}
	for _, e := range accepted {
		j := in.View.Job(e.Run.Job)
		if j == nil {
			return fmt.Errorf("I13: %v is of a job nobody sees", e)
		}
		for id, holds := range oracle {
			if !holds(deed{in, intents, e, *j}) {
				return fmt.Errorf("%s: %v of %+v", id, e, *j)
			}
		}
		spot := fmt.Sprint(e.Run.Job, e.Kind.Field())
		if spots[spot] {
			return fmt.Errorf("I3: two edits of %s", spot)
		}
		spots[spot] = true
		if e.Kind == slurm.EditRequeue {
			stopped["all"]++
			stopped[j.User]++
		}
		if written++; e.Kind == slurm.EditRequeue {
			written += e.Tasks - 1
		}
		if most := writes(in); written > max(most, 1) {
			return fmt.Errorf("I10: %d written, %d may", written, most)
		}
	}
	if err := leavesLeast(in, intents, accepted); err != nil {
		return err
	}
	return stopsWithin(in, stopped)
}

// leavesLeast wants the replicas of a service that was touched to be its least at least, once all is done: those that run and
// are not requeued, and those that could start with neither a new lease nor, maybe, an old one.
func leavesLeast(in gate.EditInput, intents []bridge.Intent, accepted []slurm.Edit) error {
	gone, touched := map[int64]bool{}, false
	for _, i := range intents {
		over := i.State == bridge.IntentExpired || i.State == bridge.IntentYielded || i.State == bridge.IntentObserved && !i.NotAfter.After(noon)
		if i.Edit.Kind == slurm.EditLease && !over {
			gone[i.Edit.Run.Job] = in.View.Job(i.Edit.Run.Job).State == "PENDING"
		}
	}
	for _, e := range accepted {
		if e.Kind == slurm.EditLease || e.Kind == slurm.EditRequeue {
			gone[e.Run.Job] = true
			touched = touched || planJob(&in.CommonInput, e.Run.Job).ReplicaOf != ""
		}
	}
	serving := 0
	for _, j := range in.Snapshot.Jobs {
		canStart := j.State == "pending" && j.HeldReason == "" && !j.EligibleAt.After(noon)
		if j.ReplicaOf != "" && !gone[int64(j.ID)] && (j.State == "running" || canStart) {
			serving += max(j.Tasks, 1)
		}
	}
	if touched && serving < in.Snapshot.InferenceServices[0].Scaling.Least {
		return fmt.Errorf("I25: %d replicas serve: %+v", serving, accepted)
	}
	return nil
}

// numberKinds are the edits that order.
var numberKinds = []slurm.EditKind{slurm.EditSiteFactor, slurm.EditNice, slurm.EditPriority}

// numbersEachFirst wants no number changed while another job got none because the write budget was spent.
func numbersEachFirst(
	in gate.EditInput, intents []bridge.Intent, accepted []slurm.Edit, refused []bridge.Refusal,
) error {
	changed := slices.IndexFunc(accepted, func(e slurm.Edit) bool {
		d := deed{in, intents, e, *in.View.Job(e.Run.Job)}
		return slices.Contains(numberKinds, e.Kind) && d.standing(e.Kind) != nil && !d.back()
	})
	for _, r := range refused {
		kind, why, _ := strings.Cut(r.Why, ": ")
		d := deed{in: in, intents: intents, e: slurm.Edit{Run: slurm.Run{Job: int64(r.Job)}}}
		isFirst := slices.Contains(numberKinds, slurm.EditKind(kind)) && d.standing(slurm.EditKind(kind)) == nil
		if changed >= 0 && isFirst && strings.Contains(why, "left of this interval") {
			return fmt.Errorf("I10: %v goes before the first number of job %d", accepted[changed], r.Job)
		}
	}
	return nil
}

func writes(in gate.EditInput) int {
	live := 0
	for _, j := range in.View.Jobs {
		if j.State == "PENDING" || j.State == "RUNNING" {
			live++
		}
	}
	most := max(in.Budgets.EditFloor, int(float64(live)*in.Budgets.EditPercent/100))
	return min(most, in.Budgets.MaxEdits, int(in.Budgets.EditRate*in.CycleInterval.Seconds()))
}

// stopsWithin counts the stops of the cycle, which all have 8 of 8 GPUs.
func stopsWithin(in gate.EditInput, stopped map[string]int) error {
	hour := map[string]int{}
	for _, s := range in.RecentStops {
		if in.Snapshot.Now.Sub(s.DecidedAt) <= time.Hour {
			hour["all"]++
			hour[s.User]++
		}
	}
	running := 0
	for _, j := range in.Snapshot.Jobs {
		if j.State != "pending" {
			running++
		}
	}
	c := in.Budgets
	for who, n := range stopped {
		if who != "all" && hour[who]+n > c.UserStops1h {
			return fmt.Errorf("I7: %s lost %d jobs this hour", who, hour[who]+n)
		}
	}
	n, percent := stopped["all"], func(p float64) int {
		if most := min(c.SmallStopPercent, p*c.SmallClusterGPUs/float64(8*running)); most > p {
			p = most
		}
		return int(p * float64(running) / 100)
	}
	if n > 0 && n > max(c.StopFloor, percent(c.StopPercent)) {
		return fmt.Errorf("I7: %d jobs stopped at once", n)
	}
	if n > 0 && hour["all"]+n > max(c.StopFloor1h, percent(c.StopPercent1h)) {
		return fmt.Errorf("I7: %d jobs stopped this hour", hour["all"]+n)
	}
	return nil
}
