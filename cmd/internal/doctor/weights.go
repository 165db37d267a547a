package doctor

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// checkBillingWeights looks for weights of GPU types that no node has: a name that is misspelt leaves the type it was meant
// for charged as it is. Without weights there is nothing to say.
func checkBillingWeights(v *slurm.View, weights policy.BillingWeights) Report {
	if len(weights) == 0 {
		return nil
	}
	hasType := map[string]bool{}
	for i := range v.Nodes {
		for _, g := range v.Nodes[i].GPUs() {
			hasType[g.Type] = true
		}
	}
	var r Report
	var told []string
	fix := "in gpus.billing_weight, name types as Slurm does: " + joinSorted(hasType)
	for _, typ := range slices.Sorted(maps.Keys(weights)) {
		if !hasType[typ] {
			r.addFinding("charges", LevelWarn, fix, "no node has GPUs of type %s, which has a billing weight", typ)
			continue
		}
		told = append(told, fmt.Sprintf("%s %g", typ, weights[typ]))
		delete(hasType, typ)
	}
	if len(told) > 0 {
		text := "GPU-hours charged for an hour: " + strings.Join(told, ", ")
		if len(hasType) > 0 {
			text += "; as they are: " + joinSorted(hasType)
		}
		r.addOK("charges", "%s", text)
	}
	return r
}

// joinSorted lists names.
func joinSorted(names map[string]bool) string {
	return strings.Join(slices.Sorted(maps.Keys(names)), ", ")
}
