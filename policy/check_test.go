package policy

import (
	"strings"
	"testing"
	"time"
)

var checkNow = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// checkCase is a lawful snapshot and plan for the cases to break.
func checkCase() (*Snapshot, *Plan) {
	node := func(name string) Node {
		return Node{Name: name, Partitions: []string{"p"}, Features: []string{"fast"}, GPUs: []NodeDevices{
			{Type: "a100", Count: 8}, {Type: "shard", Count: 4, PartPercent: 25}}}
	}
	s := &Snapshot{Now: checkNow, Nodes: []Node{node("n1"), node("n2"), node("n3")}, Jobs: []Job{
		{ID: 1, State: Running, Partition: "p", On: Alloc{{Node: "n1", Type: "a100", Count: 8}}, Ask: Ask{GPUs: GPUs{Type: "a100", Count: 8}}},
		{ID: 2, State: Running, Partition: "p", On: Alloc{{Node: "n2", Type: "a100", Count: 4}}, Ask: Ask{GPUs: GPUs{Type: "a100", Count: 4}}},
		{ID: 3, State: Pending, Partition: "p", Ask: Ask{GPUs: GPUs{Type: "a100", Count: 4}, MinNodes: 2, MaxNodes: 2, PerNode: 2, Features: []string{"fast"}}},
		{ID: 4, State: Pending, Partition: "p", Ask: Ask{GPUs: GPUs{Count: 2}}},
	}}
	return s, &Plan{Decisions: []Decision{
		{Job: 1, Verb: Keep, Rank: 2, On: s.Jobs[0].On, GPUs: 8, Why: "runs"},
		{Job: 2, Verb: Stop, Rank: 4, GPUs: 4, StoppedFor: 3, Why: "gives way"},
		{Job: 3, Verb: Start, Rank: 1, On: Alloc{{Node: "n2", Type: "a100", Count: 2}, {Node: "n3", Type: "a100", Count: 2}}, GPUs: 4, Why: "first"},
		{Job: 4, Verb: Wait, Rank: 3, GPUs: 2, Why: "behind"},
	}}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name, want string // want: part of the error; "": lawful
		breaks     func(*Snapshot, *Plan)
	}{
		{"lawful", "", func(*Snapshot, *Plan) {}},
		{"missing", "job 4: no decision", func(_ *Snapshot, p *Plan) { p.Decisions = p.Decisions[:3] }},
		{"unknown", "job 9: not in the snapshot", func(_ *Snapshot, p *Plan) { p.Decisions[3].Job = 9 }},
		{"double", "job 3: decided twice", func(_ *Snapshot, p *Plan) { p.Decisions[3].Job = 3 }},
		{"unsorted", "job 1: out of order after job 2", func(_ *Snapshot, p *Plan) {
			p.Decisions[0], p.Decisions[1] = p.Decisions[1], p.Decisions[0]
		}},
		{"rank twice", "rank 2 is job 1's too", func(_ *Snapshot, p *Plan) { p.Decisions[3].Rank = 2 }},
		{"rank beyond", "job 4: rank 5 is not within 1 to 4", func(_ *Snapshot, p *Plan) { p.Decisions[3].Rank = 5 }},
		{"rank zero", "job 4: rank 0", func(_ *Snapshot, p *Plan) { p.Decisions[3].Rank = 0 }},
		{"no reason", "job 4: wait without a reason", func(_ *Snapshot, p *Plan) { p.Decisions[3].Why = "" }},
		{"for nobody", "job 2: makes room for job 77", func(_ *Snapshot, p *Plan) { p.Decisions[1].StoppedFor = 77 }},
		{"for itself", "job 2: makes room for job 2", func(_ *Snapshot, p *Plan) { p.Decisions[1].StoppedFor = 2 }},
		{"pending kept", "job 4: is pending, so it cannot keep", func(_ *Snapshot, p *Plan) { p.Decisions[3].Verb = Keep }},
		{"pending stopped", "job 4: is pending, so it cannot stop", func(_ *Snapshot, p *Plan) { p.Decisions[3].Verb = Stop }},
		{"running started", "job 1: is running, so it cannot start", func(_ *Snapshot, p *Plan) { p.Decisions[0].Verb = Start }},
		{"running held", "job 1: is running, so it cannot hold", func(_ *Snapshot, p *Plan) { p.Decisions[0].Verb = Hold }},
		{"no verb", "job 4: is pending, so it cannot", func(_ *Snapshot, p *Plan) { p.Decisions[3].Verb = "" }},
		{"waits on nodes", "job 4: has nodes but the verb is wait", func(_ *Snapshot, p *Plan) { p.Decisions[3].On = Alloc{{Node: "n3", Type: "a100", Count: 2}} }},
		{"kept elsewhere", "job 1: kept, but on", func(_ *Snapshot, p *Plan) { p.Decisions[0].On = Alloc{{Node: "n3", Type: "a100", Count: 8}} }},
		{"fixed stopped", "job 2: stop, but must not be stopped: owner", func(s *Snapshot, _ *Plan) { s.Jobs[1].UnstoppableReason = "owner" }},
		{"suspended stopped", "job 2: stop, but it is suspended", func(s *Snapshot, _ *Plan) { s.Jobs[1].State = Suspended }},
		{"moved nowhere", "job 2: moved to where it is", func(s *Snapshot, p *Plan) { p.Decisions[1].Verb, p.Decisions[1].On = Move, s.Jobs[1].On }},
		{"held started", "job 3: started, but may not: held \"dependency\"", func(s *Snapshot, _ *Plan) { s.Jobs[2].HeldReason = "dependency" }},
		{"early", "job 3: started, but may not", func(s *Snapshot, _ *Plan) { s.Jobs[2].EligibleAt = checkNow.Add(1) }},
		{"given twice", "job 3: node n2 has 8 healthy a100, 10 are given out", func(s *Snapshot, p *Plan) {
			s.Jobs[1].On[0].Count = 8
			p.Decisions[1] = Decision{Job: 2, Verb: Keep, Rank: 4, On: s.Jobs[1].On, GPUs: 8, Why: "runs"}
		}},
		{"sick given", "job 3: node n3 has 1 healthy a100, 2 are given out", func(s *Snapshot, _ *Plan) { s.Nodes[2].GPUs[0].SickCount = 7 }},
		{"kept on sick", "", func(s *Snapshot, _ *Plan) { s.Nodes[0].GPUs[0].SickCount = 7 }},
		{"unknown node", "job 3: node n9 is not in the snapshot", func(_ *Snapshot, p *Plan) { p.Decisions[2].On[1].Node = "n9" }},
		{"wrong type", "job 3: asks for 4 a100, placed on shard of node n3", func(_ *Snapshot, p *Plan) { p.Decisions[2].On[1].Type = "shard" }},
		{"whole wanted", "job 4: asks for 2 GPUs, placed on shard", func(_ *Snapshot, p *Plan) {
			p.Decisions[3] = Decision{Job: 4, Verb: Start, Rank: 3, On: Alloc{{Node: "n3", Type: "shard", Count: 2}}, GPUs: 2, Why: "x"}
		}},
		{"down", "job 3: node n3 is down: drained", func(s *Snapshot, _ *Plan) { s.Nodes[2].DownReason = "drained" }},
		{"partition", "job 3: node n3 is not in partition p", func(s *Snapshot, _ *Plan) { s.Nodes[2].Partitions = []string{"q"} }},
		{"excluded", "job 3: node n3 is excluded", func(s *Snapshot, _ *Plan) { s.Jobs[2].Ask.ExcludedNodes = []string{"n3"} }},
		{"required", "job 3: nothing on required node n1", func(s *Snapshot, _ *Plan) { s.Jobs[2].Ask.RequiredNodes = []string{"n1"} }},
		{"feature", "job 3: node n3 lacks feature fast", func(s *Snapshot, _ *Plan) { s.Nodes[2].Features = nil }},
		{"gang cut", "job 3: start on 2 GPUs, wanted 4 to 4", func(_ *Snapshot, p *Plan) {
			p.Decisions[2].On, p.Decisions[2].GPUs = Alloc{{Node: "n2", Type: "a100", Count: 2}}, 2
		}},
		{"count lies", "job 3: 4 GPUs decided, but 2 placed", func(_ *Snapshot, p *Plan) { p.Decisions[2].On = Alloc{{Node: "n2", Type: "a100", Count: 2}} }},
		{"uneven", "job 3: 3 GPUs on node n2, wanted 2 on each", func(_ *Snapshot, p *Plan) {
			p.Decisions[2].On = Alloc{{Node: "n2", Type: "a100", Count: 3}, {Node: "n3", Type: "a100", Count: 1}}
		}},
		{"few nodes", "job 3: on 1 nodes, wanted 2 to 2", func(_ *Snapshot, p *Plan) { p.Decisions[2].On = Alloc{{Node: "n3", Type: "a100", Count: 4}} }},
		{"unsorted placement", "is not sorted by node", func(_ *Snapshot, p *Plan) {
			p.Decisions[2].On = Alloc{{Node: "n3", Type: "a100", Count: 2}, {Node: "n2", Type: "a100", Count: 2}}
		}},
		{"no nodes", "job 3: 4 GPUs decided, but 0 placed", func(_ *Snapshot, p *Plan) { p.Decisions[2].On = nil }},
		{"unplaced", "", func(s *Snapshot, p *Plan) { s.Jobs[2].UnplaceableReason, p.Decisions[2].On = "constraint", nil }},
		{"unplaced, too many", `4 GPUs of type "a100" are started without nodes, 3 are left`, func(s *Snapshot, p *Plan) {
			s.Jobs[2].UnplaceableReason, p.Decisions[2].On = "constraint", nil
			s.Nodes[1].GPUs[0].SickCount, s.Nodes[2].GPUs[0].SickCount = 8, 5
		}},
		{"beside a neighbour that did not agree", "job 4: node n1 has 8 healthy a100, 10 are given out", func(s *Snapshot, p *Plan) {
			s.Jobs[3].Shareable = true
			p.Decisions[3] = Decision{Job: 4, Verb: Start, Rank: 3, On: Alloc{{Node: "n1", Type: "a100", Count: 2}}, GPUs: 2, Why: "x"}
		}},
		{"beside a neighbour", "", func(s *Snapshot, p *Plan) {
			s.Jobs[0].Shareable, s.Jobs[3].Shareable = true, true
			p.Decisions[3] = Decision{Job: 4, Verb: Start, Rank: 3, On: Alloc{{Node: "n1", Type: "a100", Count: 2}}, GPUs: 2, Why: "x"}
		}},
		{"resized", "", func(s *Snapshot, p *Plan) {
			s.Jobs[1].MinGPUs, s.Jobs[1].MaxGPUs = 1, 6
			p.Decisions[1] = Decision{Job: 2, Verb: Resize, Rank: 4, On: Alloc{{Node: "n2", Type: "a100", Count: 6}}, GPUs: 6, Why: "x"}
		}},
		{"resized beyond", "job 2: resize on 7 GPUs, wanted 1 to 6", func(s *Snapshot, p *Plan) {
			s.Jobs[1].MinGPUs, s.Jobs[1].MaxGPUs = 1, 6
			p.Decisions[1] = Decision{Job: 2, Verb: Resize, Rank: 4, On: Alloc{{Node: "n3", Type: "a100", Count: 7}}, GPUs: 7, Why: "x"}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, p := checkCase()
			c.breaks(s, p)
			switch err := p.Check(s); {
			case c.want == "" && err != nil:
				t.Errorf("Check: %v, want nil", err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("Check: %v, want %q", err, c.want)
			}
		})
	}
}
