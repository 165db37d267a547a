package oracle

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"fairbridge/bridge/slurm"
	"fairbridge/gear/chaos/site"
)

// I24: the GPU of a job becomes shards only if its owner opted in, while it waits bound to the node; never
// where Slurm could put it beside shards of somebody whose job does not accept it, as far as Slurm showed who holds some there or
// waits for some.
func checkSharedGPU(s *sendContext) string {
	if s.Edit.Kind != slurm.EditSetShards {
		return ""
	}
	terms := readShareTerms(s.job)
	if s.oracle.shareTermsByJob[s.job.ID] = terms; s.wasChangedAfterReread {
		terms.isUnread = true
		s.oracle.shareTermsByJob[s.job.ID] = terms
		return ""
	}
	switch {
	case !terms.opted:
		return fmt.Sprintf("its owner said %q", s.job.Comment)
	case s.job.State != "PENDING" || s.job.ArrayJobID != 0 || s.job.NodeCount > 1 || s.job.GresPerJob.Text != "":
		return fmt.Sprintf("it is %s, on %d nodes", s.job.State, s.job.NodeCount)
	case len(s.Edit.Nodes) != 1 || !slices.Equal(s.job.RequiredNodes.Names, s.Edit.Nodes):
		return fmt.Sprintf("it is bound to %q, not to %q", s.job.RequiredNodes.Names, s.Edit.Nodes)
	}
	for at, held := range sharersByGPU(s.SentBy.TrueView.Jobs) {
		given := s.Edit.Value
		for _, o := range held {
			given += askedShards(o)
		}
		for _, o := range held {
			if at.node != s.Edit.Nodes[0] || given > int64(s.oracle.Site.ShardsPerGPU) {
				continue
			}
			if !s.SentBy.sawWholeList {
				return fmt.Sprintf("the daemon saw no whole list, and may not know what the owner of job %d accepts", o.ID)
			}
			if !s.isWelcome(o, &terms) {
				return fmt.Sprintf("job %d of %s, which said %q, holds shards of a GPU there with room for it", o.ID, o.User, o.Comment)
			}
		}
	}
	return s.checkWaitingSharers(&terms)
}

// checkWaitingSharers says which job that waits for shards of the node Slurm might put beside the job, as the daemon was
// shown it: between full lists nothing shows what owners change.
func (s *sendContext) checkWaitingSharers(terms *shareTerms) string {
	for _, id := range slices.Sorted(maps.Keys(s.SentBy.LastReadJobs)) {
		o := s.SentBy.LastReadJobs[id]
		own := o.RequiredNodes.Names
		if id == s.job.ID || !o.IsPending() || askedShards(&o) == 0 || s.Edit.Value+askedShards(&o) > int64(s.oracle.Site.ShardsPerGPU) || len(own) > 0 && !slices.Contains(own, s.Edit.Nodes[0]) {
			continue
		}
		if !s.isWelcome(&o, terms) {
			return fmt.Sprintf("job %d of %s, which said %q, waits for shards there", o.ID, o.User, o.Comment)
		}
	}
	return ""
}

// isWelcome reports whether the owners accept the jobs beside each other. Who asks for shards by himself and says nothing may be
// put beside his own.
func (s *sendContext) isWelcome(o *slurm.Job, terms *shareTerms) bool {
	other := readShareTerms(o)
	sent, ours := s.oracle.shareTermsByJob[o.ID]
	if ours {
		other = sent
	}
	isOwn := o.User == s.job.User && (other.opted || !ours && o.IsPending())
	return other.isUnread || isOwn || other.opted && terms.others && other.others && s.oracle.Site.SharesBetweenUsers
}

// askedShards is how many shards of a GPU the job asks for.
func askedShards(j *slurm.Job) int64 { return int64(slurm.SumGRES(j.GresPerNode.List, "shard")) }

func formatShards(n int64) string { return strconv.FormatInt(n, 10) + " shards" }

// shareTerms are the terms on which the owner of a job accepts neighbours.
type shareTerms struct {
	user          string
	opted, others bool
	memMB         int64
	isUnread      bool // somebody changed the job in the moment in which we wrote to it
}

func readShareTerms(j *slurm.Job) shareTerms {
	said := wordsOfOwner(j.Comment)
	value, opted := said["shareable"]
	memMB, _ := strconv.ParseInt(strings.TrimSuffix(said["gpu_mem"], "M"), 10, 64)
	return shareTerms{user: j.User, opted: opted, others: value == "others", memMB: memMB}
}

// sharedGPU is a GPU of a node, by its place among all of the node.
type sharedGPU struct {
	node  string
	index int
}

// sharersByGPU lists the running jobs that hold shards, by GPU.
func sharersByGPU(jobs []slurm.Job) map[sharedGPU][]*slurm.Job {
	out := map[sharedGPU][]*slurm.Job{}
	for i := range jobs {
		j := &jobs[i]
		for k := range j.GresDetail {
			for _, g := range j.GresDetail[k].List {
				for _, at := range g.DeviceIndexes {
					if g.Name == "shard" && j.IsRunning() {
						out[sharedGPU{j.Nodes.Names[k], at}] = append(out[sharedGPU{j.Nodes.Names[k], at}], j)
					}
				}
			}
		}
	}
	return out
}

// sharedGPUsKept counts the GPUs of which jobs hold shards that do not leave.
func (s *sendContext) sharedGPUsKept(leaving []slurm.Job, on func(node string) bool) (kept int) {
	for at, jobs := range sharersByGPU(s.SentBy.TrueView.Jobs) {
		stays := func(j *slurm.Job) bool {
			return !slices.ContainsFunc(leaving, func(l slurm.Job) bool { return l.ID == j.ID })
		}
		if on(at.node) && slices.ContainsFunc(jobs, stays) {
			kept++
		}
	}
	return kept
}

// checkNeighbours looks at the jobs that are on one GPU by shards of ours: their owners accept each other, they are no more than two,
// and their memory is enough. Jobs that asked for shards by themselves are put anywhere by Slurm.
func (o *Oracle) checkNeighbours() {
	gpus := sharersByGPU(o.World.Jobs())
	for _, at := range sortedGPUs(gpus) {
		var ours []shareTerms
		jobs := gpus[at]
		for _, j := range jobs {
			if t, sent := o.shareTermsByJob[j.ID]; sent && !t.isUnread && o.jobBook.entryForJob(j).stateByField[FieldGPUs].isOursStanding {
				ours = append(ours, t)
			}
		}
		if len(ours) > 1 {
			o.verdict.SharedCount++
		}
		if why := o.neighbourProblem(ours); why != "" {
			o.AddBreach("I24", jobs[len(jobs)-1].ID, "on GPU %d of %s: %s", at.index, at.node, why)
		}
	}
}

func sortedGPUs(gpus map[sharedGPU][]*slurm.Job) []sharedGPU {
	var out []sharedGPU
	for at := range gpus {
		out = append(out, at)
	}
	slices.SortFunc(out, func(a, b sharedGPU) int {
		return cmp.Or(strings.Compare(a.node, b.node), a.index-b.index)
	})
	return out
}

// memMargin is how much of the memory of a GPU its jobs leave, in megabytes.
const memMargin = 1024

// neighbourProblem says what is wrong with jobs being together on a GPU; "" when nothing is.
func (o *Oracle) neighbourProblem(jobs []shareTerms) string {
	memMB := int64(0)
	for i, a := range jobs {
		memMB += a.memMB
		for _, b := range jobs[:i] {
			if !a.opted || !b.opted || a.user != b.user && !(a.others && b.others && o.Site.SharesBetweenUsers) {
				return fmt.Sprintf("%+v and %+v did not accept each other", a, b)
			}
		}
	}
	switch {
	case len(jobs) > 2:
		return fmt.Sprintf("%d jobs share it", len(jobs))
	case len(jobs) == 2 && memMB+memMargin > site.GPUMemMB:
		return fmt.Sprintf("its jobs use %d MB of %d", memMB, site.GPUMemMB)
	}
	return ""
}
