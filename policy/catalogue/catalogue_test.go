package catalogue_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/catalogue"
	"fairbridge/policy/paper"
)

func mustNew(t testing.TB, name string, params paper.Params) policy.Policy {
	t.Helper()
	e, err := catalogue.FindSystem(name)
	if err != nil {
		t.Fatal(err)
	}
	return policytest.NewPolicy(t, e.New, params)
}

func keys(p paper.Params) string {
	return strings.Join(slices.Sorted(maps.Keys(p)), "+")
}

func TestCatalogue(t *testing.T) {
	all := catalogue.Systems()
	if !slices.IsSortedFunc(all, func(a, b paper.System) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("not sorted by name")
	}
	for _, e := range all {
		if e.Title == "" || e.Cite == "" || e.Idea == "" || len(e.OwnStages) == 0 || e.Fallback == "" || e.Reproduced == "" {
			t.Errorf("%s: something is missing: %+v", e.Name, e)
		}
		b, err := json.Marshal(e)
		if err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
		var back paper.System
		if err := json.Unmarshal(b, &back); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
		defaults := paper.Params{}
		for _, p := range back.Params {
			defaults[p.Name] = p.Default
			if p.Help == "" {
				t.Errorf("%s: parameter %s has no help", e.Name, p.Name)
			}
		}
		if _, err := e.New(defaults); err != nil {
			t.Errorf("%s refuses its own defaults: %v", e.Name, err)
		}
		plan, err := mustNew(t, e.Name, nil).Decide(&policy.Snapshot{})
		if err != nil || plan.Policy != e.Name {
			t.Errorf("%s makes plans of %+v, %v", e.Name, plan, err)
		}
	}
}

// TestDeviations wants every system that does otherwise than its source to say
// so, by the word that stands for it; the three that do not are named.
func TestDeviations(t *testing.T) {
	words := map[string][]string{
		"afs": {"CoDDL", "whole nodes", "blocks", "Slurm"}, "allox": {"gang", "profiling"}, "antman": {"scaled", "join them", "expected", "slowed once", "quota"},
		"apollo": {"servers", "one by one", "faulty", "cores", "random"}, "astraea": {"below one GPU"}, "by-deadline": {"thesis", "share", "relative", "Swaps"}, "carbyne": {"graphs"},
		"chronus": {"integer programme", "refused", "quarters", "reserve", "within a lease", "power of two", "stopped", "splits"}, "dl2": {"workers", "live", "window"}, "drf": {"does not fit"},
		"easy": {"exact fidelity"}, "edf": {"rule of thumb", "largest"}, "elan": {"requeue", "shrink", "relative"}, "elasticflow": {"refused", "soft", "dearest", "Buddy"}, "fairbridge": {"GPU type", "counts GPUs, not jobs", "users within"}, "fifo": nil,
		"gandiva": {"migration", "shrinking", "Pairs", "Turns"}, "gandiva-fair": {"stride", "balancing", "price"},
		"gavel": {"several GPU types"}, "harmony": {"regression", "gangs", "itself", "explores"}, "harmony-rl": {"each place", "evolution", "live", "first eight"}, "heterog": {"graph", "number", "Slurm"},
		"hived": {"devices of a node", "racks", "by arrival", "shortest run", "due"}, "hug": {"links"}, "karuna": {"congestion", "by when", "quartiles", "stopped", "counted"},
		"lucid": {"set apart", "free GPUs", "matching", "Arrivals", "parted"}, "metis": {"restart", "Amdahl", "agent", "cores", "snapshot"},
		"mlf-rl": {"by itself", "evolution", "rewards", "live"}, "mlfs": {"gangs", "requeued", "ends no job", "MLF-RL"}, "multifactor": {"site"}, "muri": {"anew", "alone", "Memory"},
		"optimus": {"parameter servers", "restarts", "several at once", "Rigid", "Profiling"}, "pcs": {"thresholds", "rounded", "wrongly", "grid", "Slurm"},
		"pipeswitch": {"requeued", "forecast", "checkpoints", "stopped"}, "pollux": {"genetic", "20 times", "type", "recommended"}, "proportional": {"conserve"},
		"qssf": {"boosted trees", "partitions", "for ever"}, "ref": {"cores"}, "salus": {"iterations", "lanes", "stopped", "sessions"}, "shockwave": {"lambda", "cap", "solver", "arrival"},
		"sia": {"prices", "rounding", "three GPUs"}, "sjf": nil, "slaq": {"minutes", "proportion", "least"}, "srtf": {"gangs"},
		"swayam": {"front-ends", "M/M/n", "minutes", "at-once", "give way"}, "symphony": {"filter", "network", "counters", "delay"}, "symphony-net": {"rule", "regression", "shape", "live"}, "synergy": {"Slurm", "retune", "fill", "anew", "base"},
		"themis": {"application", "locality", "lots"}, "tiresias": {"skew", "within_queue"},
	}
	for _, e := range catalogue.Systems() {
		want, known := words[e.Name]
		if said := strings.Join(e.Deviations, "\n"); !known || len(want) == 0 != (said == "") {
			t.Errorf("%s: deviations %q", e.Name, said)
		} else {
			for _, word := range want {
				if !strings.Contains(said, word) {
					t.Errorf("%s does not say how it differs in %q", e.Name, word)
				}
			}
		}
	}
}

// TestDeadlinesCountWithinShares: a deadline is a user's word, so that every system that goes by deadlines can be told whose count, and
// outside the simulators of papers those beyond an account's share do not.
func TestDeadlinesCountWithinShares(t *testing.T) {
	for _, e := range catalogue.Systems() {
		goes := slices.ContainsFunc(e.NeededInputs, func(what string) bool { return strings.HasPrefix(what, "deadlines") })
		_, err := e.New(paper.Params{"deadlines_count": "always"})
		if isGavel := e.Name == "gavel"; (err == nil) != (goes || isGavel) { // gavel only with deadlines=true
			t.Errorf("%s goes by deadlines: %t, and can be told whose count: %v", e.Name, goes, err)
		}
		if always, ok := e.SimulatorParams["deadlines_count"]; goes && (!ok || always != "always") {
			t.Errorf("%s is simulated with deadlines_count=%v", e.Name, always)
		}
	}
}

func TestLookup(t *testing.T) {
	var names []string
	for _, e := range catalogue.Systems() {
		names = append(names, e.Name)
	}
	all := strings.Join(names, ", ")
	for name, want := range map[string]string{
		"tiresas": `policy "tiresas" is unknown, did you mean tiresias? There are ` + all,
		"FIFO":    `policy "FIFO" is unknown, did you mean fifo? There are ` + all,
		"horus":   `policy "horus" is unknown, there are ` + all,
		"":        `policy "" is unknown, there are ` + all,
	} {
		if _, err := catalogue.FindSystem(name); err == nil || err.Error() != want {
			t.Errorf("Lookup(%q): %v, want %s", name, err, want)
		}
	}
}

func TestParams(t *testing.T) {
	for _, c := range []struct {
		policy string
		params paper.Params
		want   []string // lines of the error
	}{
		{"fifo", paper.Params{"backfil": "easy"}, []string{`parameter "backfil" is unknown, did you mean backfill? There are backfill, max_wait`}},
		{"fifo", paper.Params{"backfill": "eazy"}, []string{`parameter backfill: "eazy" is not possible, want one of none, easy`}},
		{"fifo", paper.Params{"max_wait": 3}, []string{`parameter max_wait: 3 is not possible, want a duration like "15m" of at least 0 s`}},
		{"drf", paper.Params{"preempt": "yes", "max_stops": 1.5, "min_run": "-1m", "zeal": nil}, []string{
			`parameter preempt: "yes" is not possible, want true or false`,
			`parameter min_run: "-1m" is not possible, want a duration like "15m" of at least 1 s`,
			`parameter max_stops: 1.5 is not possible, want a whole number of at least -1`,
			`parameter "zeal" is unknown, there are max_stops, max_wait, min_run, preempt, reserve`}},
		{"tiresias", paper.Params{"queues": []any{5, 3}, "quantile": 2}, []string{
			`parameter queues: [5 3] is not possible, want a list of ascending positive numbers, like [3600, 36000]`,
			`parameter quantile: 2 is not possible, want a number from 0 to 1`}},
		{"tiresias", paper.Params{"queues": "3600"}, []string{
			`parameter queues: "3600" is not possible, want a list of ascending positive numbers, like [3600, 36000]`}},
		{"astraea", paper.Params{"lease": "soon"}, []string{`parameter lease: "soon" is not possible, want a duration like "15m" of at least 1 s`}},
	} {
		e, err := catalogue.FindSystem(c.policy)
		if err != nil {
			t.Fatal(err)
		}
		_, err = e.New(c.params)
		if err == nil || err.Error() != strings.Join(c.want, "\n") {
			t.Errorf("%s %v:\n%v\nwant:\n%s", c.policy, c.params, err, strings.Join(c.want, "\n"))
		}
	}
}

func TestGarbledMemo(t *testing.T) {
	for _, name := range []string{"astraea", "themis", "tiresias"} {
		for _, memo := range []string{"{", `"x"`, `{"jobs":[3,1],"deserved":[1,2]}`, `{"jobs":[3],"deserved":[]}`, `{"a":{}}`} {
			if name == "tiresias" && strings.Contains(memo, "jobs") || name != "tiresias" && memo == `{"a":{}}` {
				continue
			}
			_, err := mustNew(t, name, nil).Decide(&policy.Snapshot{Memo: policy.MemoFromJSON([]byte(memo))})
			if err == nil || !strings.HasPrefix(err.Error(), "policy "+name+": reading what was remembered: ") {
				t.Errorf("%s with memo %s: %v", name, memo, err)
			}
		}
	}
}
