package catalogue_test

import (
	"slices"
	"testing"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/catalogue"
	"fairbridge/policy/paper"
)

// variants are the parameters under which the laws must hold too.
var variants = map[string][]paper.Params{
	"pollux":       {{"min_run": "1s", "max_stops": -1, "restart": "3m"}},
	"ref":          {{"step": 1., "min_run": "1s", "max_stops": -1}},
	"by-deadline":  {{"lookahead": 0.5, "best_effort": 1}, {"backfill": "greedy", "deadlines_count": "always"}},
	"hug":          {{"cooperative": false}, {"preempt": false}},
	"carbyne":      {{"altruism": 0.5, "preempt": false}, {"altruism": 0., "min_run": "1s"}},
	"allox":        {{"variant": "harness", "alpha": 0.2, "min_run": "1s", "reserve": "0s"}, {"alpha": 1, "reserve": "0s"}},
	"antman":       {{"share": false, "downgrade": "0s"}, {"opportunistic": false, "max_wait": "0s"}, {"slowdown": 1, "busy": 1, "quotas": map[string]any{"nlp": 2.}, "max_stops": 2}},
	"apollo":       {{"sigma": 1, "again": "0s", "slip": "1s", "slip_part": 0}, {"failure": 10, "max_wait": "0s"}},
	"astraea":      {{"block": "starving", "lease": "1m"}, {"starve_after": "1h", "favour": 0, "max_stops": -1}},
	"drf":          {{"preempt": false}, {"reserve": "1h", "min_run": "1s", "max_stops": -1}},
	"easy":         {{"lengths": "estimate"}, {"lengths": "report", "max_wait": "0s"}},
	"afs":          {{"lengths": "attained"}, {"gain": 0., "min_run": "1s", "max_stops": -1}},
	"edf":          {{"sizes": "largest", "min_run": "1s", "max_stops": -1}, {"sizes": "asked"}},
	"elasticflow":  {{"leftover": "dearest", "min_run": "1s", "max_stops": -1, "margin": 0}, {"slot": "10m", "margin": .5}},
	"pcs":          {{"thresholds": []float64{3600, 36000}, "clip": 0.}, {"gain": 0., "min_run": "1s", "max_stops": -1}},
	"hived":        {{"cells": []any{"nlp=1x8", "vision=2x1", "nlp=1x2", "ops=1x4"}}, {"cells": []any{"nlp=8x1", "vision=1x2:a100", "ops=4x1"}, "min_run": "1s", "max_stops": -1}},
	"elan":         {{"backfill": "easy"}, {"step": 1., "pay_back": 0., "min_run": "1s", "max_stops": -1}},
	"sia":          {{"power": -1., "idle": 2., "restart": "2m"}, {"min_run": "1s", "settle": 1, "max_stops": -1, "ties": 3}},
	"dl2":          {{"max_difference": 0.}, {"by": "teacher"}, {"by": "equal"}, {"max_change": 1., "step": 1., "min_run": "1s", "max_stops": -1}},
	"slaq":         {{"step": 1., "min_run": "1s", "max_stops": -1, "round": "5m"}},
	"pipeswitch":   {{"guard": 50, "factor": 100}, {"max_wait": "0s", "min_run": "1h", "max_stops": 1}},
	"salus":        {{"by": "fair"}, {"by": "srtf", "jobs": 16, "max_wait": "0s"}},
	"qssf":         {{"backfill": "none"}, {"max_wait": "0s"}},
	"sjf":          {{"backfill": "easy"}, {"by": "service"}},
	"swayam":       {{"scale": "peak", "max_wait": "0s"}, {"scale": "utilisation", "warm": 2, "release": "at-once", "min_run": "1h", "max_stops": 1}},
	"symphony":     {{"packs": "lucid"}, {"packs": "antman"}, {"noise": 0., "delay": "0s", "caution": 0., "max_loss": 1.}},
	"symphony-net": {{"by": "filter"}, {"packs": "lucid", "max_difference": 1.}, {"noise": 0., "delay": "0s", "max_difference": 0.}},
	"synergy":      {{"how": "opt", "base": "las"}, {"base": "srtf", "retune": true, "min_run": "1s", "max_stops": -1}, {"how": "greedy", "fill": false}},
	"srtf":         {{"by": "service"}, {"min_run": "1s", "max_stops": -1}},
	"harmony":      {{"order": "arrival", "backfill": "easy", "explore": .5}, {"order": "arrival", "backfill": "none", "placement": "worst_fit", "max_wait": "0s"}, {"placement": "random", "weight": "gpus"}, {"window": "1s", "prior": 0., "weight": "equal", "batch": 3}},
	"harmony-rl":   {{"by": "search"}, {"max_difference": 1., "order": "arrival", "backfill": "none", "max_wait": "0s"}, {"max_difference": 0., "window": "1s", "batch": 3}},
	"heterog":      {{"mix": "even", "cost": 0}, {"mix": "never", "max_wait": "0s"}},
	"metis":        {{"safe": 0., "spare": 1.}, {"tries": 20, "min_gain": 0., "max_wait": "0s", "spare": 0.}},
	"mlf-rl":       {{"by": "teacher"}, {"candidates": 1., "min_run": "1s", "max_stops": -1}},
	"mlfs":         {{"scale": "relative", "placement": "tight", "candidates": 1., "min_run": "1s", "max_stops": -1}, {"alpha": 1., "load_control": false, "candidates": 0}},
	"multifactor":  {{"fair_share": "classic", "depth": 1, "lengths": "estimate"}, {"preempt": "qos", "qos_order": []any{"high"}, "favor_small": true}},
	"chronus":      {{"lease": "1h", "early": "most", "min_run": "1s", "max_stops": -1, "max_wait": "0s"}, {"early": "least", "margin": 0}},
	"karuna":       {{"interval": "1h", "min_run": "1s", "max_stops": -1, "max_wait": "0s"}, {"margin": 0, "queues": []any{60, 7200}}},
	"lucid":        {{"window": "0s", "partner": "first"}, {"window": "0s", "score": 4, "max_gpus": 64, "ride": 100}, {"busy": 1000}},
	"muri":         {{"lengths": "known", "unpack": false, "min_run": "1s", "max_stops": -1}, {"jobs": 2}},
	"fifo":         {{"backfill": "easy"}, {"max_wait": "0s"}},
	"gavel": {{"objective": "makespan"}, {"sharing": true}, {"objective": "finish-time-fairness", "min_run": "1s"}, {"objective": "throughput", "aware": false, "deadlines": true},
		{"objective": "cost", "costs": "a100:3;v100:1"}, {"objective": "fifo"}, {"objective": "sjf"}, {"objective": "hierarchical"}, {"objective": "hierarchical", "within": "fifo"}},
	"optimus":  {{"growth": "single", "min_gain": 0, "young": 1, "min_run": "1s", "max_stops": -1, "placement": "emptiest"}, {"losses": "always", "min_gain": 0.5}},
	"themis":   {{"method": "lp"}, {"truthful": true, "fairness": 0, "alone": "jobs", "lease": "1m"}},
	"tiresias": {{"queues": []any{60, 7200.5, uint64(90000)}, "within_queue": true, "min_run": "1s"}, {"index": "gittins", "promote_knob": 0.5}, {"placement": "skew", "skew": 1.}, {"index": "entry", "placement": "emptiest", "queues": []any{3600}}},
}

// cascades are the systems by which a job that gave way may be the next that
// others give way to: Carbyne's has lost its run, and may now be late.
var cascades = []string{"carbyne", "gavel", "srtf"}

// byCount are the systems that grant leases by counting devices; with index=entry tiresias does.
// Of sia's choice and pcs' shares, too, some find no place, as where all that is left of a type stands
// in another partition or behind a reservation.
var byCount = []string{"afs", "allox", "apollo", "chronus", "edf", "elasticflow", "fairbridge", "gandiva", "gandiva-fair", "gavel", "karuna", "muri", "pcs", "pollux", "proportional", "shockwave", "sia", "synergy", "themis"}

func TestLaws(t *testing.T) {
	for _, e := range catalogue.Systems() {
		for _, params := range append([]paper.Params{nil}, variants[e.Name]...) {
			if params != nil && testing.Short() {
				break // left to make test
			}
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
				if slices.Contains(byCount, e.Name) || params["index"] == "entry" {
					claims = append(claims, policytest.LeasesIgnorePlacement)
				}
				policytest.CheckLaws(t, func() policy.Policy { return mustNew(t, e.Name, params) }, claims...)
			})
		}
	}
}
