package doctor

import (
	"strings"
	"testing"

	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// TestBillingWeights: a type that no node has is told, with those there are.
func TestBillingWeights(t *testing.T) {
	node := func(gres string) slurm.Node {
		return slurm.Node{Gres: slurm.ReadGRESDetail([]string{gres})[0]}
	}
	v := &slurm.View{Nodes: []slurm.Node{node("gpu:a100:4"), node("gpu:t4:8"), node("gpu:h100:2")}}
	if r := checkBillingWeights(v, nil); r != nil {
		t.Errorf("without weights: %+v", r)
	}
	r := checkBillingWeights(v, policy.BillingWeights{"a100": 1, "t44": .25, "h100": 2})
	if len(r) != 2 || r[0].Level != LevelWarn || !strings.Contains(r[0].Text, "type t44,") || !strings.HasSuffix(r[0].Fix, ": a100, h100, t4") {
		t.Errorf("%+v", r)
	}
	if r[1].Level != LevelOK || !strings.HasSuffix(r[1].Text, "a100 1, h100 2; as they are: t4") {
		t.Errorf("%+v", r[1])
	}
}
