package harmony

import (
	"fmt"
	"math"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// An Agent scores what may be done next while a batch is placed: a job at a place. The highest score is done, until no job of the batch finds
// room. It is given what AgentFeatureNames names, and by how much the predicted reward rises for each of the job's GPUs.
type Agent interface {
	Score(features []float64, gainPerGPU float64) float64
}

// WithAgent returns the policy with placements by an agent, named so in reasons. Where the regression predicts for its placement a
// reward that is smaller than that of the search by more than the part maxLoss, or a score is no number, the search decides.
func WithAgent(p *Policy, a Agent, name string, maxLoss float64) *Policy {
	with := *p
	with.agent, with.agentName, with.maxLoss = a, name, maxLoss
	return &with
}

// agentSight is how many jobs of the batch, the first that have no place yet, an agent chooses from at once.
const agentSight = 8

// agentFeatureNames name what an Agent sees of a job at a place, in their order.
var agentFeatureNames = []string{"gain", "speed", "weight", "gpus", "waited", "left", "nodes", "free", "turn"}

// AgentFeatureNames are what an Agent sees of a job at a place, in their order.
func AgentFeatureNames() []string { return slices.Clone(agentFeatureNames) }

// byAgent places the batch as the agent says. It returns the reward that the regression predicts; ok: all scores were numbers, and all that
// must have a place have one.
func (b *binder) byAgent(r *engine.Round, s *search) (placement []policy.Alloc, reward float64, ok bool) {
	for _, x := range s.jobs {
		s.free(x)
	}
	s.reward = 0
	waiting := make([]int, len(s.jobs))
	for i := range waiting {
		waiting[i] = i
	}
	for len(waiting) > 0 {
		at, on, isNumber := b.nextByAgent(r, s, waiting)
		if !isNumber {
			return nil, 0, false
		}
		if on != nil {
			s.take(s.jobs[waiting[at]], on)
			waiting = slices.Delete(waiting, at, at+1)
			continue
		}
		seen := min(agentSight, len(waiting)) // none of these finds room
		for _, i := range waiting[:seen] {
			if !s.takeAny(i) && !s.mayLeave {
				return nil, 0, false
			}
		}
		waiting = waiting[seen:]
	}
	return s.placement(), s.reward, true
}

// nextByAgent is which of the first waiting jobs goes where; nil: none finds room.
func (b *binder) nextByAgent(r *engine.Round, s *search, waiting []int) (at int, on policy.Alloc, isNumber bool) {
	most, free := math.Inf(-1), float64(r.FreePool.TotalFree(""))
	for k, i := range waiting[:min(agentSight, len(waiting))] {
		x := s.jobs[i]
		for _, p := range s.places[i] {
			before := s.reward
			if !s.take(x, p.on) {
				continue
			}
			gain := (s.reward - before) / float64(max(p.on.Count(), 1))
			score := b.agent.Score(b.agentFeatures(r, s, x, p, gain, free), gain)
			s.free(x)
			s.reward = before
			if math.IsNaN(score) || math.IsInf(score, 0) {
				return 0, nil, false
			}
			if score > most {
				most, at, on = score, k, p.on
			}
		}
	}
	return at, on, true
}

// agentFeatures are what an agent sees of a job that has just been put at a place, each about -1 to 1.
func (b *binder) agentFeatures(r *engine.Round, s *search, x *resident, p place, gainPerGPU, free float64) []float64 {
	gpus := float64(p.on.Count())
	waited := max(r.Now.Sub(x.entry.Arrive).Hours(), 1./60)
	left := float64(p.left) / max(free, 1)
	turn := slices.Index(s.jobs, x)
	return []float64{logOf(gainPerGPU), 2*s.speed(x) - 1, logOf(x.weight / gpus), math.Log(max(gpus, .1)) / 4, math.Log(waited) / 4,
		left, float64(x.tooMany) / 4, gpus / max(free, 1), float64(turn) / float64(len(s.jobs))}
}

// logOf is the logarithm of a reward, about -1 to 1; none is counted as very small.
func logOf(reward float64) float64 { return math.Log(max(reward, 1e-4)) / 4 }

// differs says why what the agent placed is not taken; "": it is.
func (b *binder) differs(reward, bySearch float64, ok bool) string {
	switch {
	case !ok:
		return fmt.Sprintf("the search, since a score of %s is no number or left a job without room", b.agentName)
	case reward < (1-b.maxLoss)*bySearch:
		return fmt.Sprintf("the search, since the placement of %s is predicted to have %.3g of its reward", b.agentName, reward/bySearch)
	}
	return ""
}
