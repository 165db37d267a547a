package dl2

import (
	"math"

	"fairbridge/policy/solve/network"
)

// leastGain is by how much of its speed on what it asks a device more must speed a job up for the
// teacher to give it one.
const leastGain = .05

// ShortestFirst is the teacher: the next device goes to the job that has least time left on what
// it asks, of several to the first, while it gets faster by it.
type ShortestFirst struct{}

// Choose implements Chooser.
func (ShortestFirst) Choose(c *Choice) int {
	best := len(c.Open) - 1
	for i, open := range c.Open[:best] {
		if open && c.Gains[i] > leastGain && (best == len(c.Open)-1 || c.Left[i] < c.Left[best]) {
			best = i
		}
	}
	return best
}

// EqualShares is what the network is measured against: the next device goes to the job with fewest, as dominant resource
// fairness has it with one resource and equal weights; of several to the first.
type EqualShares struct{}

// Choose implements Chooser.
func (EqualShares) Choose(c *Choice) int {
	best := len(c.Open) - 1
	for i, open := range c.Open[:best] {
		if open && (best == len(c.Open)-1 || c.Devices[i] < c.Devices[best]) {
			best = i
		}
	}
	return best
}

// Scores is the policy network: it scores each candidate, and the best is chosen.
type Scores struct {
	network *network.Network
	seen    [][]float64 // features that scores are known of
	scores  []float64
}

// NewScores returns a chooser by a network of one output for FeatureNames.
func NewScores(n *network.Network) *Scores { return &Scores{network: n} }

// Choose implements Chooser. A score that is no number gives -1, which no candidate is.
func (s *Scores) Choose(c *Choice) int {
	best, most := -1, math.Inf(-1)
	for i, score := range s.ScoreAll(c) {
		switch {
		case !c.Open[i]:
		case math.IsNaN(score) || math.IsInf(score, 0):
			return -1
		case score > most:
			best, most = i, score
		}
	}
	return best
}

// ScoreAll returns the scores of all candidates; of those whose features are the very same as
// at the last step they are not worked out again. The caller must not change them.
func (s *Scores) ScoreAll(c *Choice) []float64 {
	if len(s.seen) != len(c.Features) {
		s.seen, s.scores = make([][]float64, len(c.Features)), make([]float64, len(c.Features))
	}
	for i, f := range c.Features {
		if s.seen[i] == nil || &s.seen[i][0] != &f[0] {
			s.seen[i], s.scores[i] = f, s.network.Forward(f)
		}
	}
	return s.scores
}
