package policyset

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairbridge/policy/catalogue"
	"fairbridge/policy/paper"
	"fairbridge/policy/paper/astraea"
)

func TestParse(t *testing.T) {
	picks, err := ParsePolicies("fifo,tiresias:queues=3600;36000,min_run=15m, astraea:levels=7,favour=0.5,block=starving,drf", false)
	if err != nil {
		t.Fatal(err)
	}
	var labels []string
	for _, p := range picks {
		labels = append(labels, p.Label)
	}
	want := []string{"fifo", "tiresias:queues=3600;36000,min_run=15m", "astraea:levels=7,favour=0.5,block=starving", "drf"}
	if d := cmp.Diff(want, labels); d != "" {
		t.Errorf("labels (-want +got):\n%s", d)
	}
	if d := cmp.Diff(paper.Params{"queues": []any{3600.0, 36000.0}, "min_run": "15m"}, picks[1].Params); d != "" {
		t.Errorf("parameters (-want +got):\n%s", d)
	}
	p, err := picks[2].NewPolicy()
	a, ok := p.(*astraea.Policy)
	if err != nil || !ok || a.Levels != 7 || a.Favour != 0.5 || a.Block != "starving" {
		t.Errorf("policy %+v (%v)", p, err)
	}
}

func TestTables(t *testing.T) {
	picks, err := ParsePolicies("gavel:objective=cost,costs=v100:2.48;k80:0.45,round=6m,fifo", false)
	if err != nil {
		t.Fatal(err)
	}
	want := paper.Params{"objective": "cost", "costs": "v100:2.48;k80:0.45", "round": "6m"}
	if d := cmp.Diff(want, picks[0].Params); d != "" || len(picks) != 2 {
		t.Errorf("%d picks (-want +got):\n%s", len(picks), d)
	}
}

// TestExactDefaults wants the parameters of a system's own simulator only where
// plans are carried out exactly, and under what the command line says.
func TestExactDefaults(t *testing.T) {
	for _, e := range catalogue.Systems() {
		live, err := ParsePolicies(e.Name, false)
		if err != nil || len(live[0].Params) != 0 {
			t.Errorf("%s: live %v (%v)", e.Name, live, err)
		}
		exact, err := ParsePolicies(e.Name, true)
		if err != nil {
			t.Errorf("%s: %v", e.Name, err)
			continue
		}
		for name, v := range e.SimulatorParams {
			if !reflect.DeepEqual(exact[0].Params[name], v) {
				t.Errorf("%s: %s is %v, want %v", e.Name, name, exact[0].Params[name], v)
			}
		}
	}
	said, err := ParsePolicies("tiresias:min_run=42s", true)
	if err != nil || said[0].Params["min_run"] != "42s" {
		t.Errorf("%v (%v)", said, err)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ list, says string }{
		{"", "no policy is named"}, {"tiresas", "did you mean tiresias?"}, {"fifo,", `policy ""`},
		{"fifo,fifo", "named twice"}, {"tiresias:min_rum=10m", "did you mean min_run?"},
		{"tiresias:min_run=fast", `min_run: "fast"`}, {"tiresias:min_run=1h,min_run=2h", "once"},
		{"tiresias:min_run", "name=value"}, {"tiresias,min_run=1h", "tiresias:min_run=1h"}, {"Fifo", "did you mean fifo?"},
		{"astraea:levels=many", `levels: "many"`}, {"tiresias:queues=1;x", `queues: "1;x"`}, {"=1", `"=1"`},
		{"gavel:costs=v100", "costs"}, {"gavel:costs=v100:1;v100:2", "costs"},
	} {
		picks, err := ParsePolicies(c.list, true)
		if err == nil || !strings.Contains(err.Error(), c.says) || picks != nil {
			t.Errorf("%q: %v, error %v, want %s", c.list, picks, err, c.says)
		}
	}
	// All problems at once.
	if _, err := ParsePolicies("tiresas,astrea", true); err == nil || strings.Count(err.Error(), "did you mean") != 2 {
		t.Errorf("want both named: %v", err)
	}
}
