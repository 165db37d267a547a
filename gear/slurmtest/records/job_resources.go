package records

// jobResources is job_resources of a job that holds some: host names and counts,
// without the map of every core.
func jobResources(j jobRecord) any {
	hosts := j.Nodes.Names
	switch {
	case (len(hosts) == 0 || !j.IsRunning()) && (j.Version <= 38 || j.Version >= 41):
		return nil
	case j.Version <= 40:
		return oldJobResources(j, hosts)
	}
	each := j.CPUs / max(len(hosts), 1)
	var nodes []any
	for i, h := range hosts {
		nodes = append(nodes, map[string]any{
			"index": i, "name": h, "cpus": map[string]any{"count": each, "used": 0},
			"memory":  map[string]any{"used": 0, "allocated": j.MemPerNodeMB},
			"sockets": []any{},
		})
	}
	return map[string]any{
		"select_type": []string{"CR_CORE_MEMORY"}, "cpus": j.CPUs, "threads_per_core": WrapNumber(false, false, 0),
		"nodes": map[string]any{
			"count": len(hosts), "select_type": []string{"ONE_ROW"}, "list": j.Nodes.Text, "whole": j.Exclusive,
			"allocation": nodes,
		},
	}
}

func oldJobResources(j jobRecord, hosts []string) any {
	if !j.IsRunning() {
		hosts = nil
	}
	nodes := []any{}
	for _, h := range hosts {
		nodes = append(nodes, map[string]any{
			"nodename": h, "cpus_used": 0, "memory_used": 0, "memory_allocated": j.MemPerNodeMB,
			"sockets": map[string]any{},
		})
	}
	out := map[string]any{
		"nodes": j.Nodes.Text, "allocated_cores": j.CPUs, "allocated_hosts": len(hosts), "allocated_nodes": nodes,
	}
	if j.Version >= 39 {
		out["allocated_cpus"] = 0
	}
	return out
}
