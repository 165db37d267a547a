package slurm

import (
	"cmp"
	"errors"
	"slices"
)

// RequestedGPUs returns the GPUs that one task of the job asks for over all its nodes;
// Type "" is any or several, Count 0 none. Where Slurm does not track gres/gpu, the request
// itself is counted.
func (j *Job) RequestedGPUs() (GRES, error) {
	var errs []error
	for _, unread := range []string{j.RequestedTRES.UnreadReason, j.GresPerJob.UnreadReason, j.GresPerNode.UnreadReason, j.GresPerTask.UnreadReason} {
		if unread != "" {
			errs = append(errs, errors.New(unread))
		}
	}
	if errs != nil {
		return GRES{}, errors.Join(errs...)
	}
	out, lists := GRES{Name: "gpu"}, [][]GRES{j.RequestedTRES.Gres, j.GresPerJob.List, j.GresPerNode.List, j.GresPerTask.List}
	nodes := max(j.NodeCount, 1)
	out.Count = cmp.Or(j.RequestedTRES.GPUCount(), max(SumGRES(lists[1], "gpu"), SumGRES(lists[2], "gpu")*nodes))
	if out.Count == 0 && SumGRES(lists[3], "gpu") > 0 {
		return GRES{}, errors.New("GPUs per task are not counted by Slurm: add gres/gpu to AccountingStorageTRES")
	}
	out.Type = gpuTypeOfRequest(lists)
	return out, nil
}

// gpuTypeOfRequest returns the type of all GPUs that a job asks for, of which the lists tell in
// several places, first the one that may hold a total; "" where any names several.
func gpuTypeOfRequest(lists [][]GRES) (typ string) {
	for i, list := range lists {
		in, isMixed := commonGPUType(list, i == 0)
		if isMixed {
			return ""
		}
		typ = cmp.Or(typ, in)
	}
	return typ
}

// DeviceHold is devices of one type that a job holds on one node.
type DeviceHold struct {
	Node string
	GRES
}

// HeldDevices returns the GPUs that the job's record shows it to hold, sorted by node
// and type: node by node where Slurm says so, else what it was given (or asks,
// where that is not tracked) spread evenly over its nodes, the first ones taking
// what does not divide. A device told without a type has the one type the job
// was given, else what find says of the node, which may be nil or return nil;
// Type "" is not known. A record that cannot be read holds none.
func (j *Job) HeldDevices(find func(node string) *Node) []DeviceHold {
	hosts := j.Nodes.Names
	if len(hosts) == 0 || j.AllocatedTRES.UnreadReason != "" {
		return nil
	}
	per, err := j.gresPerHost(hosts)
	if err != nil {
		return nil
	}
	var out []DeviceHold
	for i, host := range hosts {
		var n *Node
		if find != nil {
			n = find(host)
		}
		for _, g := range n.gpusByType(per[i], j.AllocatedTRES.GPUType()) {
			out = append(out, DeviceHold{host, g})
		}
	}
	slices.SortFunc(out, func(a, b DeviceHold) int { return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.Type, b.Type)) })
	return out
}

// gresPerHost returns what the job holds on each of its nodes.
func (j *Job) gresPerHost(hosts []string) ([][]GRES, error) {
	per := make([][]GRES, len(hosts))
	if len(j.GresDetail) == len(hosts) {
		for i, detail := range j.GresDetail {
			if detail.UnreadReason != "" {
				return nil, errors.New(detail.UnreadReason)
			}
			per[i] = detail.List
		}
		return per, nil
	}
	all := j.AllocatedTRES.GPUsByType()
	if len(all) == 0 {
		asks, err := j.RequestedGPUs()
		if err != nil {
			return nil, err
		}
		all = []GRES{asks}
	}
	for _, g := range all {
		for i, n := 0, g.Count; i < len(hosts); i++ {
			g.Count = n / len(hosts)
			if i < n%len(hosts) {
				g.Count++
			}
			per[i] = append(per[i], g)
		}
	}
	return per, nil
}

// GPUCount returns how many devices the job holds or held or, before, asks for; 0
// also where its record cannot be read.
func (j *Job) GPUCount() int {
	if n := j.AllocatedTRES.GPUCount(); n > 0 {
		return n
	}
	n := 0
	for _, h := range j.HeldDevices(nil) {
		n += h.Count
	}
	if n == 0 {
		asks, _ := j.RequestedGPUs()
		n = asks.Count
	}
	return n
}
