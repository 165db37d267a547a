package elasticflow

import (
	"fmt"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// explain notes for owners what became of their deadlines.
func (p *planner) explain(r *engine.Round, demands []demand) {
	for i := range demands {
		d := &demands[i]
		e := d.entry
		deadline := e.Deadline.UTC().Format("2006-01-02 15:04 MST")
		switch steps, admitted := p.plans[d]; {
		case admitted && len(steps) > 0:
			e.Note = fmt.Sprintf("admitted for its deadline %s: %s", deadline, describePlan(r.Now, steps))
		case p.lost[d]:
			e.Note = fmt.Sprintf("it was admitted for its deadline %s, which cannot be met any more; it goes on as best effort", deadline)
		case p.declined[d]:
			e.Note = fmt.Sprintf("best effort: its deadline %s cannot be met beside those of the jobs admitted before it", deadline)
		case !e.Deadline.IsZero():
			e.Note = fmt.Sprintf("best effort: nothing is known of how long it runs, so nothing is promised for its deadline %s", deadline)
		default:
			e.Note = "best effort: it has no deadline that counts"
		}
	}
}

// describePlan says the least a job needs and until when.
func describePlan(now time.Time, steps []step) string {
	least, most := steps[0].gpus, steps[0].gpus
	for _, s := range steps {
		least, most = min(least, s.gpus), max(most, s.gpus)
	}
	end := now.Add(policy.DurationFromSeconds(steps[len(steps)-1].until)).UTC().Format("15:04")
	if least == most {
		return fmt.Sprintf("%s until %s are enough", policy.FormatCount(most, "GPU"), end)
	}
	return fmt.Sprintf("%d to %s until %s are enough", least, policy.FormatCount(most, "GPU"), end)
}
