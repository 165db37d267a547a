package intake

import (
	"slices"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// maxOccurrences is how many times of a recurring reservation are looked at.
const maxOccurrences = 4

// reservedWindowsByNode returns the times in which nodes are set aside, by node. Of a
// reservation that cannot be read, as far as its nodes are known, they are from
// now on without end.
func reservedWindowsByNode(v *slurm.View) map[string][]policy.Window {
	cpus := make(map[string]int, len(v.Nodes))
	for i := range v.Nodes {
		cpus[v.Nodes[i].Name] = v.Nodes[i].CPUs
	}
	out := map[string][]policy.Window{}
	for i := range v.Reservations {
		r := &v.Reservations[i]
		part := partialReservationWindow(r, r.Nodes.Names, cpus)
		for _, w := range reservationWindows(r, v.At) {
			w.CPUs, w.GPUs = part.CPUs, part.GPUs
			for _, h := range r.Nodes.Names {
				out[h] = append(out[h], w)
			}
		}
	}
	for _, list := range out {
		slices.SortStableFunc(list, func(a, b policy.Window) int { return a.From.Compare(b.From) })
	}
	return out
}

// reservationWindows returns the windows of a reservation that are not over.
func reservationWindows(r *slurm.Reservation, now time.Time) (list []policy.Window) {
	from, to := r.Start, r.End
	if from.IsZero() || r.UnreadReason != "" {
		from = now
	}
	if r.UnreadReason != "" {
		to = time.Time{}
	}
	for range 1000 { // one that is long over recurs many times until now
		if to.IsZero() || to.After(now) {
			list = append(list, policy.Window{From: from, To: to, Name: r.Name, IsMaintenance: r.IsMaintenance()})
		}
		var ok bool
		if from, to, ok = r.NextOccurrence(from, to); !ok || len(list) == maxOccurrences {
			break
		}
	}
	return list
}

// partialReservationWindow returns what a reservation of parts of nodes takes of each; nothing
// where it takes whole nodes. Cores that Slurm keeps for itself are in no
// reservation, so nine tenths of them are all.
func partialReservationWindow(r *slurm.Reservation, hosts []string, cpus map[string]int) (part policy.Window) {
	tres := &r.TRES
	if tres.UnreadReason != "" || tres.Text == "" || len(hosts) == 0 || r.IsMaintenance() {
		return part
	}
	all := 0
	for _, h := range hosts {
		all += cpus[h]
	}
	if tres.CPUs*10 >= int64(all)*9 {
		return part
	}
	each := func(n int) int { return (n + len(hosts) - 1) / len(hosts) }
	part.CPUs, part.GPUs = each(int(tres.CPUs)), each(tres.GPUCount())
	return part
}

// setReservedWindows sets the node aside. One that Slurm shows as reserved is so for as
// long as we do not know better; one that is down for a maintenance that we know
// comes back when that ends.
func setReservedWindows(n *policy.Node, flags []string, list []policy.Window, now time.Time) {
	n.Windows = list
	known := slices.ContainsFunc(list, func(w policy.Window) bool { return !w.From.After(now) })
	switch {
	case n.DownReason == "" && slices.Contains(flags, "RESERVED") && !known:
		n.DownReason = "RESERVED"
	case known && (n.DownReason == "" || n.DownReason == "MAINTENANCE"):
		was := n.DownReason
		n.DownReason = ""
		if n.UpdateDownReason(now); n.DownReason == "" {
			n.DownReason = was
		}
	}
}

// otherUsesByNode returns what running jobs without GPUs hold of the nodes, by node and
// by when their limits end, to the minute.
func (a *snapshotAssembler) otherUsesByNode() map[string][]policy.OtherUse {
	out := map[string][]policy.OtherUse{}
	for i := range a.View.Jobs {
		j := &a.View.Jobs[i]
		if !j.IsRunning() || j.UntrustedReason != "" || j.AllocatedTRES.MentionsGPUs() || j.RequestedTRES.MentionsGPUs() || len(a.sharedGPUsByJob[j.ID].on) > 0 {
			continue
		}
		hosts := j.Nodes.Names
		tres := &j.AllocatedTRES
		if tres.Text == "" {
			tres = &j.RequestedTRES
		}
		if tres.UnreadReason != "" || len(hosts) == 0 {
			continue
		}
		x := policy.OtherUse{CPUs: int(tres.CPUs) / len(hosts), MemMB: tres.MemMB / int64(len(hosts)), Until: timeLimitEnd(j, a.View.At)}
		if j.State == "SUSPENDED" { // the node does not count its cores as used
			x.CPUs = 0
		}
		for _, h := range hosts {
			if a.gpuNodeByName[h] != nil {
				out[h] = addOtherUse(out[h], x)
			}
		}
	}
	return out
}

// timeLimitEnd returns when a running job ends by its limit; zero when that is not
// known.
func timeLimitEnd(j *slurm.Job, now time.Time) time.Time {
	switch {
	case j.HasFlag("COMPLETING"):
		return now.Add(time.Minute).Truncate(time.Minute)
	case j.TimeLimit <= 0 || j.Start.IsZero() || j.State == "SUSPENDED":
		return time.Time{}
	}
	return j.Start.Add(j.TimeLimit).Add(time.Minute - 1).Truncate(time.Minute)
}

// addOtherUse adds to what is given back at the same moment; the list stays in order.
func addOtherUse(list []policy.OtherUse, x policy.OtherUse) []policy.OtherUse {
	i, ok := slices.BinarySearchFunc(list, x, func(a, b policy.OtherUse) int { return a.Until.Compare(b.Until) })
	if !ok {
		return slices.Insert(list, i, x)
	}
	list[i].CPUs, list[i].MemMB = list[i].CPUs+x.CPUs, list[i].MemMB+x.MemMB
	return list
}
