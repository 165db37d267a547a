package bridge

// Doubt is a reason to push nothing. Cause is one word for metrics, Err the
// whole story.
type Doubt struct {
	Cause string // leader, slurm, cluster, view, history, journal, hand_back, policy, effect, foreign, stop, push, or "gate I…"
	Err   error
}
