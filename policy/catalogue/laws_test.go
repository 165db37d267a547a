package catalogue_test

import (
	"slices"
	"testing"

	"fairbridge/policy"
	"fairbridge/policy/catalogue"
	"fairbridge/policy/paper"
	"fairbridge/policy/policytest"
)

// variants are the parameters under which the laws must hold too.
var variants = map[string][]paper.Params{
	"ref":         {{"step": 1., "min_run": "1s", "max_stops": -1}},
	"hug":         {{"cooperative": false}, {"preempt": false}},
	"carbyne":     {{"altruism": 0.5, "preempt": false}, {"altruism": 0., "min_run": "1s"}},
	"allox":       {{"variant": "harness", "alpha": 0.2, "min_run": "1s", "reserve": "0s"}, {"alpha": 1, "reserve": "0s"}},
	"astraea":     {{"block": "starving", "lease": "1m"}, {"starve_after": "1h", "favour": 0, "max_stops": -1}},
	"drf":         {{"preempt": false}, {"reserve": "1h", "min_run": "1s", "max_stops": -1}},
	"easy":        {{"lengths": "estimate"}, {"lengths": "report", "max_wait": "0s"}},
	"sjf":         {{"backfill": "easy"}, {"by": "service"}},
	"srtf":        {{"by": "service"}, {"min_run": "1s", "max_stops": -1}},
	"multifactor": {{"fair_share": "classic", "depth": 1, "lengths": "estimate"}, {"preempt": "qos", "qos_order": []any{"high"}, "favor_small": true}},
	"fifo":        {{"backfill": "easy"}, {"max_wait": "0s"}},
	"gavel": {{"objective": "makespan"}, {"sharing": true}, {"objective": "finish-time-fairness", "min_run": "1s"}, {"objective": "throughput", "aware": false, "deadlines": true},
		{"objective": "cost", "costs": "a100:3;v100:1"}, {"objective": "fifo"}, {"objective": "sjf"}, {"objective": "hierarchical"}, {"objective": "hierarchical", "within": "fifo"}},
	"themis":   {{"method": "lp"}, {"truthful": true, "fairness": 0, "alone": "jobs", "lease": "1m"}},
	"tiresias": {{"queues": []any{60, 7200.5, uint64(90000)}, "within_queue": true, "min_run": "1s"}, {"index": "gittins", "promote_knob": 0.5}},
}

// cascades are the systems by which a job that gave way may be the next that
// others give way to: Carbyne's has lost its run, and may now be late.
var cascades = []string{"carbyne", "gavel", "srtf"}

// byCount are the systems that grant leases by counting devices.
var byCount = []string{"allox", "fairbridge", "gandiva", "gandiva-fair", "gavel", "proportional", "shockwave", "themis"}

func TestLaws(t *testing.T) {
	for _, e := range catalogue.Systems() {
		for _, params := range append([]paper.Params{nil}, variants[e.Name]...) {
			name := e.Name + "/default"
			if params != nil {
				name = e.Name + "/" + keys(params)
			}
			t.Run(name, func(t *testing.T) {
				var claims []policytest.Claim
				if e.WorkConserving && params == nil {
					claims = append(claims, policytest.WorkConserving)
				}
				if params["queues"] != nil || params["reserve"] != nil || slices.Contains(cascades, e.Name) {
					claims = append(claims, policytest.StopsMayCascade)
				}
				if slices.Contains(byCount, e.Name) {
					claims = append(claims, policytest.LeasesIgnorePlacement)
				}
				policytest.CheckLaws(t, func() policy.Policy { return mustNew(t, e.Name, params) }, claims...)
			})
		}
	}
}
