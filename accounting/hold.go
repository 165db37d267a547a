package accounting

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"fairbridge/bridge/slurm"
)

// hold is what a run has on one node: devices of one type.
type hold struct {
	node, gpu string
	count     int
	part      int // percent of a whole GPU each device is
}

// holdsOf returns the GPUs the job's record shows, sorted by node and type: per
// node where Slurm says so, else its total spread evenly over its nodes. It is
// empty for jobs without GPUs and for records that cannot be read.
func holdsOf(j *slurm.Job) []hold {
	hosts, err := slurm.ExpandHosts(j.Nodes)
	if err != nil || len(hosts) == 0 {
		return nil
	}
	var out []hold
	if len(j.Gres) == len(hosts) {
		for i, host := range hosts {
			list, err := slurm.ParseGRES(j.Gres[i])
			if err != nil {
				return nil
			}
			out = append(out, gpusOn(host, list)...)
		}
	} else {
		out = spread(j, hosts)
	}
	slices.SortFunc(out, func(a, b hold) int { return cmp.Or(cmp.Compare(a.node, b.node), cmp.Compare(a.gpu, b.gpu)) })
	return out
}

func gpusOn(host string, list []slurm.GRES) []hold {
	counts := map[string]int{}
	for _, g := range list {
		if g.Name == "gpu" {
			counts[g.Type] += g.Count
		}
	}
	var out []hold
	for gpu, n := range counts {
		if n > 0 {
			out = append(out, hold{host, gpu, n, partOf(gpu)})
		}
	}
	return out
}

// spread divides the allocated total over the nodes, the first ones taking
// what does not divide. A typed total stands for the untyped one beside it.
func spread(j *slurm.Job, hosts []string) []hold {
	t, err := slurm.ParseTRES(j.Allocated)
	if err != nil {
		return nil
	}
	typed := slices.ContainsFunc(t.Gres, func(g slurm.GRES) bool { return g.Name == "gpu" && g.Type != "" })
	var out []hold
	for _, g := range t.Gres {
		if g.Name != "gpu" || typed && g.Type == "" {
			continue
		}
		for i, host := range hosts {
			n := g.Count / len(hosts)
			if i < g.Count%len(hosts) {
				n++
			}
			if n > 0 {
				out = append(out, hold{host, g.Type, n, partOf(g.Type)})
			}
		}
	}
	return out
}

// migSlices is how many compute slices a GPU that can be divided has.
const migSlices = 7

// partOf returns how many percent of a GPU a device of the type is: a MIG
// profile such as "1g.5gb" or "a100_3g.20gb" says it in its name.
func partOf(gpu string) int {
	head, _, ok := strings.Cut(gpu, "g.")
	if !ok || !strings.HasSuffix(gpu, "gb") {
		return 100
	}
	n, err := strconv.Atoi(head[strings.LastIndexAny(head, "_-")+1:])
	if err != nil || n < 1 || n > migSlices {
		return 100
	}
	return n * 100 / migSlices
}
