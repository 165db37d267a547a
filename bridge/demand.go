package bridge

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// untyped is what devices are called on nodes whose configuration names no
// type.
const untyped = "gpu"

// demandOf returns what one task of the job asks for, or holds. A job without
// GPUs has a count of 0.
func demandOf(j *slurm.Job) (policy.Ask, error) {
	tres, err := slurm.ParseTRES(j.Request)
	if err != nil {
		return policy.Ask{}, err
	}
	perNode, err := slurm.ParseRequest(j.PerNode)
	if err != nil {
		return policy.Ask{}, err
	}
	ask := policy.Ask{
		Nodes: max(j.NodeCount, 1), MaxNodes: j.MaxNodes,
		CPUs: int(tres.CPUs), MemMB: tres.MemMB, PerNode: slurm.Total(perNode, "gpu"),
		Features: plainFeatures(j.Features),
	}
	if ask.CPUs == 0 {
		ask.CPUs = j.CPUs
	}
	if ask.GPUs, err = gpusOf(j, tres, perNode); err != nil {
		return ask, err
	}
	if ask.Require, err = slurm.ExpandHosts(j.Required); err != nil {
		return ask, fmt.Errorf("required nodes: %w", err)
	}
	if ask.Exclude, err = slurm.ExpandHosts(j.Excluded); err != nil {
		return ask, fmt.Errorf("excluded nodes: %w", err)
	}
	return ask, nil
}

// gpusOf counts the GPUs of one task. Where Slurm does not track gres/gpu, the
// request itself is counted.
func gpusOf(j *slurm.Job, tres slurm.TRES, perNode []slurm.GRES) (policy.GPUs, error) {
	perJob, err := slurm.ParseRequest(j.PerJob)
	if err != nil {
		return policy.GPUs{}, err
	}
	perTask, err := slurm.ParseRequest(j.PerTask)
	if err != nil {
		return policy.GPUs{}, err
	}
	n := tres.GPUs()
	if n == 0 {
		n = max(slurm.Total(perJob, "gpu"), slurm.Total(perNode, "gpu")*max(j.NodeCount, 1))
	}
	if n == 0 && slurm.Total(perTask, "gpu") > 0 {
		return policy.GPUs{}, errors.New("GPUs per task are not counted by Slurm: add gres/gpu to AccountingStorageTRES")
	}
	typ := "" // the same GPUs are named in several places
	for _, list := range [][]slurm.GRES{tres.Gres, perJob, perNode, perTask} {
		typ = cmp.Or(typ, slurm.TRES{Gres: list}.GPUType())
	}
	return policy.GPUs{Type: typ, Count: n, Part: partOf(typ)}, nil
}

// partOf returns how many percent of a GPU a device of the type is: a MIG
// profile such as 1g.5gb has one seventh of the compute slices.
func partOf(typ string) int {
	if len(typ) > 2 && typ[0] >= '1' && typ[0] <= '6' && strings.HasPrefix(typ[1:], "g.") {
		return int(typ[0]-'0') * 100 / 7
	}
	return 0
}

// plainFeatures returns the features of a constraint that is a list of them,
// all wanted; other constraints are left to Slurm.
func plainFeatures(constraint string) []string {
	if constraint == "" || strings.ContainsAny(constraint, "|[]()*!,") {
		return nil
	}
	f := strings.Split(constraint, "&")
	slices.Sort(f)
	return slices.Compact(f)
}

// tasksOf returns how many tasks a record stands for.
func tasksOf(j *slurm.Job) int {
	if !j.Unsplit() {
		return 1
	}
	n, err := slurm.ParseTasks(j.ArrayTasks)
	if err != nil {
		return 1
	}
	return max(n, 1)
}

// taskAddress returns the only name by which Slurm requeues one task of an
// array and not the rest; "" for other jobs.
func taskAddress(j *slurm.Job) string {
	if !j.ArraySplit {
		return ""
	}
	return fmt.Sprintf("%d_%d", j.ArrayJob, j.ArrayTask)
}

// allocOf returns what a running job holds on the nodes of the partition.
func allocOf(j *slurm.Job, ask policy.Ask, nodes map[string]*slurm.Node) policy.Alloc {
	hosts, err := slurm.ExpandHosts(j.Nodes)
	if err != nil {
		return nil
	}
	var on policy.Alloc
	for i, h := range hosts {
		if n := nodes[h]; n != nil {
			on = append(on, held(j, ask, n, i, len(hosts))...)
		}
	}
	return on
}

// held returns the devices a job holds on its i-th node. Slurm lists them per
// node; where it does not, the request is spread evenly.
func held(j *slurm.Job, ask policy.Ask, n *slurm.Node, i, of int) policy.Alloc {
	if len(j.Gres) != of {
		count := ask.GPUs.Count / of
		if i < ask.GPUs.Count%of {
			count++
		}
		return slots(n, []slurm.GRES{{Name: "gpu", Type: ask.GPUs.Type, Count: count}})
	}
	list, err := slurm.ParseGRES(j.Gres[i])
	if err != nil {
		return nil
	}
	return slots(n, list)
}

// slots returns the GPUs of the list on the node, by type.
func slots(n *slurm.Node, list []slurm.GRES) policy.Alloc {
	count := map[string]int{}
	for _, g := range list {
		if g.Name == "gpu" && g.Count > 0 {
			count[typeOn(n, g.Type)] += g.Count
		}
	}
	var on policy.Alloc
	for _, typ := range sortedKeys(count) {
		on = append(on, policy.Slot{Node: n.Name, Type: typ, Count: count[typ]})
	}
	return on
}

// typeOn names the type of a device; where the job does not say, that of the
// node's first GPUs.
func typeOn(n *slurm.Node, typ string) string {
	if typ != "" {
		return typ
	}
	list, _ := slurm.ParseGRES(n.Gres)
	for _, g := range list {
		if g.Name == "gpu" && g.Type != "" {
			return g.Type
		}
	}
	return untyped
}
