package trial

import (
	"fmt"
	"slices"
	"strings"

	"fairbridge/bridge/study/cluster"
	"fairbridge/bridge/study/generate"
	"fairbridge/policy"
)

// KindNames lists the workloads that can be drawn.
func KindNames() string {
	var names []string
	for _, k := range generate.Kinds() {
		names = append(names, k.Name)
	}
	return strings.Join(names, ", ")
}

// Draw makes a workload of the kind for the nodes.
func Draw(kind string, w generate.Options, seed int64, nodes []policy.Node) (*Workload, error) {
	for _, k := range generate.Kinds() {
		if k.Name == kind && w.Jobs != 0 && !slices.Contains(k.Uses, "jobs") {
			return nil, fmt.Errorf("kind %s draws as many jobs as its load makes; leave out --jobs", kind)
		}
	}
	w.GPUs = cluster.GPUs(nodes)
	made, err := generate.Make(kind, w, seed)
	if err != nil {
		return nil, err
	}
	return New(kind, made.Jobs, generate.Tables(), made.Accounts, nodes)
}
