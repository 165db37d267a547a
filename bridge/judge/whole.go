package judge

import (
	"fmt"
	"slices"
	"strings"

	"fairbridge/bridge/slurm"
)

// checkLists looks for what the lists should show and do not.
func (v *Verdict) checkLists(in *Input) {
	now, good := in.View, in.LastGood
	if now.IncompleteReason != "" {
		v.doubt("%s", now.IncompleteReason)
	}
	if idle := unexplainedNodes(now); len(idle) > 0 {
		v.doubt("%s in use, and no job of the list is there: the list of jobs is filtered or cut", formatNodes(idle))
	}
	jobs := countAnswers(MissingJobs(now, good), in.Answers.AnswerByJob)
	v.doubtMissing("job", "jobs", jobs.there, jobs.open)
	hosts := countAnswers(MissingNodes(now, good), in.Answers.AnswerByNode)
	v.doubtMissing("node", "nodes", hosts.there, hosts.open)
	v.checkGone(in, jobs.gone)
}

// checkGone counts what is gone by Slurm's own answers: too much at once has to be
// seen again before it is believed.
func (v *Verdict) checkGone(in *Input, jobs int) {
	good, c := in.LastGood, &in.Config
	if len(v.Doubts) > 0 || good == nil {
		return
	}
	live := 0
	for i := range good.Jobs {
		if !good.Jobs[i].IsDone() {
			live++
		}
	}
	have, hosts := nodeNames(in.View), 0
	for i := range good.Nodes {
		if !have[good.Nodes[i].Name] {
			hosts++
		}
	}
	switch {
	case jobs > c.VanishFloor && exceeds(jobs, live, c.VanishPercent):
		v.awaitSecondPoll(in, fmt.Sprintf("%d of %d jobs", jobs, live))
	case exceeds(hosts, len(good.Nodes), c.ShrinkPercent):
		v.awaitSecondPoll(in, fmt.Sprintf("%d of %d nodes", hosts, len(good.Nodes)))
	}
}

func exceeds(part, all int, percent float64) bool { return float64(part)*100 > percent*float64(all) }

// awaitSecondPoll waits for one more poll before so much is believed to be gone.
func (v *Verdict) awaitSecondPoll(in *Input, what string) {
	v.ManyGone = true
	if n := in.ManyGone + 1; n < PollsToBelieveGone {
		v.doubt("%s are gone, as Slurm says of each: believed when %d polls in a row show it, %d so far", what, PollsToBelieveGone, n)
	}
}

// doubtMissing doubts a list that leaves out what Slurm knows, or may know.
func (v *Verdict) doubtMissing(one, list string, there, open []string) {
	if len(there) > 0 {
		v.doubt("Slurm knows %s %s, which the list of %s leaves out: it is filtered or cut", one, firstFew(there), list)
	}
	if len(open) > 0 {
		v.doubt("the list of %s leaves out %s %s, and Slurm has not said yet what became of them", list, one, firstFew(open))
	}
}

// firstFew prints the first few.
func firstFew(names []string) string {
	const few = 5
	if len(names) > few {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:few], ", "), len(names)-few)
	}
	return strings.Join(names, ", ")
}

func formatNodes(names []string) string {
	if len(names) == 1 {
		return "node " + names[0] + " is"
	}
	return "nodes " + firstFew(names) + " are"
}

// unexplainedNodes returns the nodes with CPUs in use on which no listed job is, if
// they are too many to be a coincidence of the moment: none or a fifth of them.
func unexplainedNodes(v *slurm.View) []string {
	explained := map[string]bool{}
	for i := range v.Jobs {
		for _, name := range v.Jobs[i].Nodes.Names {
			explained[name] = true
		}
	}
	busy, empty := 0, []string(nil)
	for i := range v.Nodes {
		if n := &v.Nodes[i]; n.CPUsUsed > 0 {
			busy++
			if !explained[n.Name] {
				empty = append(empty, n.Name)
			}
		}
	}
	if len(empty)*5 <= busy {
		return nil
	}
	return empty
}

// nodeNames returns the names of the nodes of a view.
func nodeNames(v *slurm.View) map[string]bool {
	names := make(map[string]bool, len(v.Nodes))
	for i := range v.Nodes {
		names[v.Nodes[i].Name] = true
	}
	return names
}

// MissingJobs returns, sorted, the ids of jobs that lived in the last good view
// and that this one leaves out. good may be nil.
func MissingJobs(now, good *slurm.View) []int64 {
	if good == nil {
		return nil
	}
	var ids []int64
	for i := range good.Jobs {
		if j := &good.Jobs[i]; !j.IsDone() && now.Job(j.ID) == nil {
			ids = append(ids, j.ID)
		}
	}
	return ids
}

// MissingNodes returns, sorted, the nodes that the view leaves out although the
// last good view had them or one of its own jobs is there. good may be nil.
func MissingNodes(now, good *slurm.View) []string {
	have, names := nodeNames(now), []string(nil)
	add := func(name string) {
		if !have[name] {
			have[name] = true
			names = append(names, name)
		}
	}
	if good != nil {
		for i := range good.Nodes {
			add(good.Nodes[i].Name)
		}
	}
	for i := range now.Jobs {
		if j := &now.Jobs[i]; j.IsRunning() {
			for _, name := range j.Nodes.Names {
				add(name)
			}
		}
	}
	slices.Sort(names)
	return names
}
