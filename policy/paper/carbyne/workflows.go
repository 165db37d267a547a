package carbyne

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"fairbridge/policy"
)

// workflowSnapshot are the workflows of a snapshot, and the snapshot with every
// workflow as an account of its own below its account, so that fairness among
// accounts becomes fairness among workflows.
type workflowSnapshot struct {
	rewrittenSnapshot *policy.Snapshot
	workflowOfJob     []int    // by job, in snapshot order
	workflowNames     []string // by workflow
}

// splitIntoWorkflows finds the workflows.
func splitIntoWorkflows(s *policy.Snapshot) *workflowSnapshot {
	f := &workflowSnapshot{workflowOfJob: make([]int, len(s.Jobs))}
	index := map[[3]string]int{}
	c := *s
	c.Jobs, c.Accounts = slices.Clone(s.Jobs), slices.Clone(s.Accounts)
	for i := range c.Jobs {
		j := &c.Jobs[i]
		name := workflowName(j)
		key := [3]string{j.Account, j.User, name}
		w, known := index[key]
		if !known {
			w = len(f.workflowNames)
			index[key] = w
			f.workflowNames = append(f.workflowNames, j.Account+"/"+j.User+"/"+name)
			c.Accounts = append(c.Accounts, policy.Account{Name: f.workflowNames[w], Parent: j.Account, Weight: 1})
		}
		f.workflowOfJob[i], j.Account = w, f.workflowNames[w]
	}
	order := make([]int, len(c.Accounts))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(strings.Compare(c.Accounts[a].Name, c.Accounts[b].Name), a-b)
	})
	sorted := make([]policy.Account, len(order))
	for i, from := range order {
		sorted[i] = c.Accounts[from]
	}
	c.Accounts = sorted
	f.rewrittenSnapshot = &c
	return f
}

// workflowName is the job's name without the number of the run; the job's id
// where that leaves nothing.
func workflowName(j *policy.Job) string {
	name := strings.TrimRight(j.Name, "0123456789")
	if len(name) < len(j.Name) {
		name = strings.TrimRight(name, "-_.: ")
	}
	if name == "" {
		return strconv.FormatInt(int64(j.ID), 10)
	}
	return name
}
