package nodeneed

import (
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/power"
	"fairbridge/replica/study"
	"fairbridge/replica/workload"
)

// TestSimulate: four nodes, of which a job of an hour needs one every morning at nine for four days. Looks
// have the calendar of the past, and each node that was needed within their ten minutes.
func TestSimulate(t *testing.T) {
	s := study.Scenario{Name: "mornings"}
	for _, name := range []string{"n1", "n2", "n3", "n4"} {
		s.Nodes = append(s.Nodes, policy.Node{Name: name, Partitions: []string{"gpu"}, CPUs: 64, MemMB: 1 << 20, GPUs: []policy.NodeDevices{{Type: "g", Count: 8}}})
	}
	for day := range 4 {
		s.Jobs = append(s.Jobs, workload.Job{ID: int64(day + 1), User: "u", Account: "a", Arrive: float64(day*24+9) * 3600, GPUs: 4, Duration: 3600, TimeLimit: 2 * time.Hour})
	}
	made, err := study.NewScenario(s, false)
	if err != nil {
		t.Fatal(err)
	}
	monday := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	past, err := Simulate(made, monday, 10*time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	looks := past.LooksByGroup["g"]
	if past.NodesByGroup["g"] != 4 || len(looks) != (3*24+9)*6 {
		t.Fatalf("%d looks at %d nodes", len(looks), past.NodesByGroup["g"])
	}
	starts := 0
	for _, l := range looks {
		starts += l.Starts
		needed := 0
		if h := l.At.Add(-10 * time.Minute).Sub(monday).Hours(); h >= 9 && int(h)%24 == 9 {
			needed = 1
		}
		if l.Needed < needed || l.Needed > 1 {
			t.Errorf("%s: %d nodes are needed", l.At, l.Needed)
		}
	}
	if starts != 3 { // the last arrives at the end
		t.Errorf("%d starts", starts)
	}
	saved, err := past.Savings(power.DefaultRules())
	if err != nil || len(saved) != 1 || saved[0].OffNodeHours <= 0 || saved[0].Nodes != 4 {
		t.Errorf("%+v, %v", saved, err)
	}
}
