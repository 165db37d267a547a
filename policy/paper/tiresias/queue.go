package tiresias

import (
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/order"
	"fairbridge/policy/paper"
)

// queueTier lets jobs of lower queues give way to those of higher ones; with within
// also, inside a queue, to those that started before.
func queueTier(levels order.ByLeastAttained, within bool) func(*engine.Round, *engine.Entry) int {
	if !within {
		return func(_ *engine.Round, e *engine.Entry) int { return levels.QueueOf(e) }
	}
	// Milliseconds since the first start, the longest first, and a tier at the
	// end of each queue for those that never started.
	const span = 1 << 44
	return func(r *engine.Round, e *engine.Entry) int {
		if e.FirstStart.IsZero() {
			return levels.QueueOf(e)*span + span - 1
		}
		since := min(max(r.Now.Sub(e.FirstStart).Milliseconds(), 0), span/2)
		return levels.QueueOf(e)*span + span/2 - int(since)
	}
}

// promotions remembers, per job, what it had received and when it was moved to
// the first queue, and with index entry when it came into its queue. It is kept in Plan.Memo.
type promotions map[policy.JobID]promotion

type promotion struct {
	Attained policy.GPUSeconds `json:"attained"`
	At       time.Time         `json:"at"`
	// Queue is the queue it stands in, from 0, and EnteredAt since when; zero: not noted.
	Queue     int       `json:"queue,omitempty"`
	EnteredAt time.Time `json:"entered,omitzero"`
}

func recallPromotions(s *policy.Snapshot) (promotions, error) {
	return policy.Recall[promotions](s.Memo)
}

// memo remembers the promotions; encoding/json sorts the keys of a map.
func (p promotions) memo() policy.Memo {
	if len(p) == 0 {
		return policy.Memo{}
	}
	return policy.Remember(p)
}

// attainedSincePromotion is what the job received since it was last promoted.
func (p promotions) attainedSincePromotion(e *engine.Entry) policy.GPUSeconds {
	return max(e.Attained-p[e.ID].Attained, 0)
}

// update forgets jobs that left and promotes those that waited too long for what
// they ran.
func (p promotions) update(s *policy.Snapshot, knob float64) promotions {
	kept := promotions{}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		last, before := p[j.ID]
		if before {
			kept[j.ID] = last
		}
		if knob > 0 && j.CanStart(s.Now) && waitedTooLong(j, last, s.Now, knob) {
			last.Attained, last.At = j.Attained, s.Now
			kept[j.ID] = last
		}
	}
	return kept
}

// waitedTooLong compares the wait with the run since the last promotion.
func waitedTooLong(j *policy.Job, last promotion, now time.Time, knob float64) bool {
	gpus := j.Ask.GPUs.WholeGPUs()
	ran := float64(j.Attained - last.Attained)
	if gpus <= 0 || ran <= 0 {
		return false
	}
	waited := min(j.Waited(now), max(now.Sub(last.At), 0))
	return waited.Seconds() >= knob*ran/gpus
}

// System describes Tiresias in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "tiresias", Title: "Tiresias: discretised two-dimensional least attained service", Venue: "NSDI", Year: 2019,
		Cite:         `J. Gu et al., "Tiresias: A GPU Cluster Manager for Distributed Deep Learning", NSDI 2019`,
		Idea:         "Serve jobs by GPU time received, in a few queues; short jobs get through without predictions.",
		OwnStages:    []string{"predict", "order", "backfill", "preempt"},
		NeededInputs: []string{"GPU time received", "service of finished jobs (for the queue bound and the Gittins index)"},
		Fallback:     "without history the first queue ends at first_queue; without received service a job is new",
		Reproduced: "480 jobs of Philly's kind on 64 GPUs at twice the load, medians of 7 seeds: average completion time 1/2.09 of first come, first served " +
			"(the paper: up to 1/5.5 on its testbed; shortest remaining time first has 1/2.11 here), with Gittins indices .996 of without, no stop for the median job; " +
			"with queues=57600, index=entry, placement=emptiest every one of the 1,280 jobs of Pollux' eight workloads in the published second; " +
			"with placement=skew, 300 jobs of which half of the gangs take 1.6 times as long spread: those complete in .86 of the time they take on any few nodes, and .70 of that on the emptiest first, the others in .94 (medians of 5 seeds); " +
			"three jobs on two GPUs finish at 2, 12 and 16 hours; Gittins indices; promotion after 16 hours",
		Deviations: []string{
			"No profile of a model's tensors: with placement=skew jobs are kept on the fewest nodes that were measured to be slowed by more, and the others go anywhere, as the paper does by skew. Without it all gangs are placed alike.",
			"Without within_queue a job does not displace a later one of its own queue; the paper's scan does, at the price of more stops.",
			"Without queues, the bound between the two is a quantile of finished jobs' GPU time; the paper's is set by hand.",
		},
		MayStarve:       true,
		WorkConserving:  true,
		SimulatorParams: paper.Params{"queues": []float64{3250, 7200}, "promote_knob": 0, "min_run": "1s", "max_stops": -1, "max_wait": "0s"},
	})
}
