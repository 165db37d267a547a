package neighbours

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"fairbridge/bridge"
	"fairbridge/policy"
)

// Judge finds the jobs of a snapshot that share GPUs and hurt each other, and says who leaves: a job is hurt that keeps
// less than the least share of its speed. One that runs on what others leave is not hurt by jobs that do not. Of each
// group one job leaves at a time.
func Judge(s *policy.Snapshot, f *bridge.Facts, leastSpeed float64) []bridge.Separation {
	var out []bridge.Separation
	done := map[int64]bool{}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		looks := f.UseByJob[int64(j.ID)].Shared
		if leastSpeed <= 0 || len(looks) == 0 || done[int64(j.ID)] || !j.HoldsGPUs() {
			continue
		}
		group := groupOf(s, j, looks[0].Neighbours)
		why := findHarm(s, j, group, looks, f.Past, leastSpeed)
		if why == "" || len(group) < 2 {
			continue
		}
		x := newSeparation(s, j, group, why)
		for _, id := range x.Jobs {
			done[id] = true
		}
		out = append(out, x)
	}
	return out
}

// findHarm says what was measured that speaks against the job and its neighbours being together; "" when nothing does.
func findHarm(s *policy.Snapshot, j *policy.Job, group []*policy.Job, looks []bridge.NeighbourLook, past *bridge.Past, least float64) string {
	if why := findFullMemory(looks); why != "" || !maySuffer(j, group) {
		return why
	}
	if slow := findSlowdown(looks, aloneOf(j, past), least); slow != "" {
		return fmt.Sprintf("job %s is slowed: %s", s.JobLabel(j.ID), slow)
	}
	return ""
}

// groupOf returns the job and those of its neighbours that the snapshot has, who has most right to stay first: one that
// counts to a quota before one that runs on what others leave, and who came earlier before who came later.
func groupOf(s *policy.Snapshot, j *policy.Job, neighbours []int64) []*policy.Job {
	group := []*policy.Job{j}
	for _, id := range neighbours {
		if other := s.Job(policy.JobID(id)); other != nil && other.HoldsGPUs() {
			group = append(group, other)
		}
	}
	slices.SortFunc(group, func(a, b *policy.Job) int {
		return cmp.Or(rightToStay(a)-rightToStay(b), a.Start.Compare(b.Start), cmp.Compare(a.ID, b.ID))
	})
	return group
}

// rightToStay is 0 of a job that counts to a quota and 1 of one that runs on what others leave.
func rightToStay(j *policy.Job) int {
	if j.IsOpportunistic() {
		return 1
	}
	return 0
}

// maySuffer reports whether the job has a right to its speed: beside jobs that count to a quota one that runs on what
// they leave has none.
func maySuffer(j *policy.Job, group []*policy.Job) bool {
	return !j.IsOpportunistic() || group[0].IsOpportunistic()
}

// aloneOf returns what is known of the job alone.
func aloneOf(j *policy.Job, past *bridge.Past) *Alone {
	out := &Alone{}
	if past != nil && past.SpeedsOf != nil {
		known := past.SpeedsOf(j)
		out.Own, out.Class = known.Own, known.Class
	}
	if j.Sharing != nil && j.Sharing.Source == "measured" {
		out.Busy = j.Sharing.Utilisation
	}
	return out
}

// newSeparation says who of the group leaves: the last that may be stopped, and never the first.
func newSeparation(s *policy.Snapshot, hurt *policy.Job, group []*policy.Job, why string) bridge.Separation {
	x := bridge.Separation{Why: why}
	var kept []string
	for _, j := range slices.Backward(group) {
		x.Jobs = append(x.Jobs, int64(j.ID))
		if x.Leaves == 0 && j.UnstoppableReason == "" && j != group[0] {
			x.Leaves = int64(j.ID)
		}
		kept = append(kept, fmt.Sprintf("job %s: %s", s.JobLabel(j.ID), cmp.Or(j.UnstoppableReason, "it has the most right to stay")))
	}
	slices.Sort(x.Jobs)
	switch {
	case x.Leaves == 0:
		x.KeptReason = strings.Join(kept, "; ")
	case x.Leaves == int64(hurt.ID):
		x.For = int64(group[0].ID)
	default:
		x.For = int64(hurt.ID)
	}
	return x
}
