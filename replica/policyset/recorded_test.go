package policyset

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairbridge/policy/catalogue"
	"fairbridge/policy/paper"
)

// TestRecorded prints parameters as a cycle's record has them and reads them
// back, for every system of the catalogue with every parameter at its default.
func TestRecorded(t *testing.T) {
	for _, e := range catalogue.Systems() {
		given := paper.Params{}
		for _, p := range e.Params {
			if p.Default != nil {
				given[p.Name] = p.Default
			}
		}
		if _, err := e.New(given); err != nil {
			t.Errorf("%s: its own defaults: %v", e.Name, err)
			continue
		}
		var words []string
		for _, k := range slices.Sorted(maps.Keys(given)) {
			words = append(words, fmt.Sprintf("%s=%v", k, given[k]))
		}
		text := strings.Join(words, " ")
		p, err := ChoiceFromRecord(e.Name, text)
		if err != nil {
			t.Errorf("%s %q: %v", e.Name, text, err)
			continue
		}
		for k, v := range given {
			if got := fmt.Sprint(p.Params[k]); got != fmt.Sprint(v) && e.Params[slices.IndexFunc(e.Params, func(p paper.Param) bool { return p.Name == k })].Kind != paper.KindTable {
				t.Errorf("%s: %s=%v was read as %v", e.Name, k, v, got)
			}
		}
	}
}

func TestRecordedValues(t *testing.T) {
	p, err := ChoiceFromRecord("tiresias", "queues=[3600 36000] max_stops=3")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(paper.Params{"queues": []any{3600.0, 36000.0}, "max_stops": 3.0}, p.Params); d != "" {
		t.Error(d)
	}
	for _, bad := range []string{"queues", "queues=[0]", "colour=red"} {
		if _, err := ChoiceFromRecord("tiresias", bad); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
	if _, err := ChoiceFromRecord("lottery", ""); err == nil {
		t.Error("an unknown policy was read")
	}
}

func TestSlurmAlone(t *testing.T) {
	picks, err := ParsePolicies("slurm,fifo", false)
	if err != nil || len(picks) != 2 {
		t.Fatal(picks, err)
	}
	if p, err := picks[0].NewPolicy(); p != nil || err != nil {
		t.Errorf("slurm has a policy: %v %v", p, err)
	}
	for _, bad := range []string{"slurm:round=1s"} {
		if _, err := ParsePolicies(bad, false); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
	if _, err := ParsePolicies("slurm", true); err == nil || !strings.Contains(err.Error(), "--fidelity slurm") {
		t.Errorf("exactly: %v", err)
	}
}
