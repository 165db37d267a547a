package judge

import (
	"fmt"
	"slices"
	"strings"

	"fairbridge/bridge/slurm"
)

// checkLists looks for what the lists should show and do not.
func (v *Verdict) checkLists(in *Input) {
	now, good := in.View, in.LastGoodView
	if now.IncompleteReason != "" {
		v.addDoubt("%s", now.IncompleteReason)
	}
	if in.HiddenReason != "" {
		v.addDoubt("%s", in.HiddenReason)
	}
	if idle := busyNodesWithoutJobs(now); len(idle) > 0 {
		v.addDoubt("%s in use, and no job of the list is there: the list of jobs is filtered or cut", formatNodes(idle))
	}
	jobs := groupByAnswer(MissingJobs(now, good), in.Answers.AnswerByJob)
	v.addMissingDoubts("job", "jobs", jobs.presentNames, jobs.unansweredNames)
	hosts := groupByAnswer(MissingNodes(now, good), in.Answers.AnswerByNode)
	v.addMissingDoubts("node", "nodes", hosts.presentNames, hosts.unansweredNames)
	v.checkManyGone(in, jobs.goneCount)
}

// checkManyGone counts what is gone by Slurm's own answers: too much at once has to be
// seen again before it is believed.
func (v *Verdict) checkManyGone(in *Input, jobs int) {
	good, c := in.LastGoodView, &in.Config
	if len(v.Doubts) > 0 || good == nil {
		return
	}
	live := 0
	for i := range good.Jobs {
		if !good.Jobs[i].IsDone() {
			live++
		}
	}
	have, hosts := nodeNameSet(in.View), 0
	for i := range good.Nodes {
		if !have[good.Nodes[i].Name] {
			hosts++
		}
	}
	switch {
	case jobs > c.VanishFloor && exceedsPercent(jobs, live, c.VanishPercent):
		v.awaitMorePolls(in, fmt.Sprintf("%d of %d jobs", jobs, live))
	case exceedsPercent(hosts, len(good.Nodes), c.ShrinkPercent):
		v.awaitMorePolls(in, fmt.Sprintf("%d of %d nodes", hosts, len(good.Nodes)))
	}
}

func exceedsPercent(part, all int, percent float64) bool {
	return float64(part)*100 > percent*float64(all)
}

// awaitMorePolls waits for more polls before so much is believed to be gone.
func (v *Verdict) awaitMorePolls(in *Input, what string) {
	v.AreManyGone = true
	if n := in.ManyGonePolls + 1; n < PollsToBelieveGone {
		v.addDoubt("%s are gone, as Slurm says of each: believed when %d polls in a row show it, %d so far", what, PollsToBelieveGone, n)
	}
}

// addMissingDoubts doubts a list that leaves out what Slurm knows, or may know.
func (v *Verdict) addMissingDoubts(one, list string, there, open []string) {
	if len(there) > 0 {
		v.addDoubt("Slurm knows %s %s, which the list of %s leaves out: it is filtered or cut", one, formatFirstFew(there), list)
	}
	if len(open) > 0 {
		v.addDoubt("the list of %s leaves out %s %s, and Slurm has not said yet what became of them", list, one, formatFirstFew(open))
	}
}

// formatFirstFew prints the first few.
func formatFirstFew(names []string) string {
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
	return "nodes " + formatFirstFew(names) + " are"
}

// busyNodesWithoutJobs returns the nodes with CPUs in use on which no listed job is, if
// they are too many to be a coincidence of the moment: none or a fifth of them.
func busyNodesWithoutJobs(v *slurm.View) []string {
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

// nodeNameSet returns the names of the nodes of a view.
func nodeNameSet(v *slurm.View) map[string]bool {
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
	have, names := nodeNameSet(now), []string(nil)
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
