package intake

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
	"fairbridge/policy/catalogue"
)

// slicesOf are types as sites have them, with the percent of a GPU they are.
var slicesOf = map[string]int{
	"1g.5gb": 14, "nvidia_a100_3g.20gb": 42, "a100_1g.5gb": 14, "1g.5gb+me": 14, "7g.80gb": 0, "a100": 0,
}

func migView(gres string, jobs ...slurm.Job) *slurm.View {
	v := &slurm.View{At: time.Unix(1e9, 0), Jobs: jobs, Nodes: []slurm.Node{
		{Name: "n1", State: "IDLE", Gres: slurm.ReadGRES(gres), CPUs: 64, MemMB: 500_000, Partitions: []string{"gpu"}},
	}}
	for i := range v.Jobs {
		j := &v.Jobs[i]
		j.ID, j.User, j.Account, j.Partitions, j.Submit = int64(i+1), "ann", "nlp", []string{"gpu"}, v.At.Add(-2*time.Hour)
		if j.State == "RUNNING" {
			j.Nodes, j.Start = slurm.ReadHosts("n1"), v.At.Add(-time.Hour)
		}
	}
	return v
}

// A slice is the same part of a GPU for what a node has, what a job asks and
// what it was served, whatever the site calls it.
func TestSlicesHaveOneSize(t *testing.T) {
	for typ, part := range slicesOf {
		s := AssembleSnapshot(Input{View: migView(
			fmt.Sprintf("gpu:%s:7", typ),
			slurm.Job{State: "RUNNING", RequestedTRES: slurm.ReadTRES("gres/gpu=2,gres/gpu:" + typ + "=2"), GresDetail: slurm.ReadGRESDetail([]string{"gpu:" + typ + ":2(IDX:0-1)"})},
			slurm.Job{State: "RUNNING", RequestedTRES: slurm.ReadTRES("gres/gpu=1"), GresDetail: slurm.ReadGRESDetail([]string{"gpu:" + typ + ":1(IDX:2)"})},
			slurm.Job{State: "PENDING", RequestedTRES: slurm.ReadTRES("gres/gpu=1,gres/gpu:" + typ + "=1")},
		)}, preempting("gpu"))
		if d := s.Nodes[0].GPUs[0]; d.PartPercent != part || d.Type != typ || d.Count != 7 {
			t.Errorf("%s: the node has %+v", typ, d)
		}
		if a := s.Job(3).Ask.GPUs; a.PartPercent != part || a.Type != typ {
			t.Errorf("%s: a pending job asks for %+v", typ, a)
		}
		hour := policy.ServiceForTime(policy.GPUs{Count: 1, PartPercent: part}.WholeGPUs(), time.Hour)
		if two, one := s.Job(1).Attained, s.Job(2).Attained; two != 2*hour || one != hour {
			t.Errorf("%s: two slices served %v GPU-seconds in an hour, one %v; want %v and %v", typ, two, one, 2*hour, hour)
		}
	}
}

// A job that asks for any GPU gets a whole one, or waits.
func TestAnyGPUIsAWholeOne(t *testing.T) {
	for gres, want := range map[string]policy.Verb{
		"gpu:nvidia_a100_3g.20gb:2":              policy.Wait,
		"gpu:a100_1g.5gb:7":                      policy.Wait,
		"gpu:1g.5gb+me:7":                        policy.Wait,
		"gpu:1g.5gb:7,gpu:a100:1":                policy.Start,
		"gpu:a100:1,gpu:nvidia_a100_3g.20gb:2":   policy.Start,
		"gpu:nvidia_a100_7g.80gb:1,gpu:1g.5gb:7": policy.Start,
	} {
		s := AssembleSnapshot(Input{View: migView(gres, slurm.Job{State: "PENDING", RequestedTRES: slurm.ReadTRES("cpu=1,gres/gpu=1"), GresPerNode: slurm.ReadGRESRequest("gres/gpu:1")})}, preempting("gpu"))
		for _, e := range catalogue.Systems() {
			p, err := e.New(nil)
			if err != nil {
				t.Fatal(err)
			}
			plan, err := p.Decide(s)
			if err != nil {
				t.Fatalf("%s: %v", e.Name, err)
			}
			d := plan.Decisions[0]
			if d.Verb != want || len(d.On) > 0 && partPercentOfType(d.On.FirstType()) != 0 {
				t.Errorf("%s on %s: %s on %v: %s", e.Name, gres, d.Verb, d.On, d.Why)
			}
		}
	}
}

// History's ratios come before the site's word, on the scale of what else is
// known, and reach the policy.
func TestSpeedsAreHistorysThenTheSites(t *testing.T) {
	v := migView("gpu:a100:4,gpu:v100:4,gpu:site_x:4")
	past := &bridge.Past{GPUSpeeds: []policy.Speed{{Type: "a100", Speed: 1}, {Type: "v100", Speed: 2}}}
	s := AssembleSnapshot(Input{View: v, Past: past, SiteGPUSpeeds: []policy.Speed{{Type: "site_x", Speed: 1e4}, {Type: "v100", Speed: 1}}}, preempting("gpu"))
	if got, want := strings.Join(s.GPUTypes(), " "), "site_x v100 a100"; got != want {
		t.Errorf("the fastest first: %s, want %s", got, want)
	}
	a, _ := s.SpeedOf("a100")
	b, _ := s.SpeedOf("v100")
	if math.Abs(b/a-2) > 1e-9 || math.Abs(a*b/312-1) > 1e-9 { // 312 by data sheets, 1 by the site
		t.Errorf("a100 is %g, v100 %g", a, b)
	}
}
