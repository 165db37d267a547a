package evaluation

import (
	"math"
	"strings"
	"testing"

	"fairbridge/bridge/study/policyset"
	"fairbridge/scripts/verify/part"
)

// Where nothing can be known of jobs but their size, fairbridge must not be worse than Slurm's own
// order through the same loop, nor than Slurm alone.
func TestWithoutInformationNothingIsLost(t *testing.T) {
	part.Only(t, "studies")
	policies, err := policyset.ParsePolicies("slurm,multifactor,fairbridge", false)
	if err != nil {
		t.Fatal(err)
	}
	const seeds = 4
	logs := make([]float64, len(policies)) // of completion over that of Slurm alone
	for seed := int64(1); seed <= seeds; seed++ {
		s, err := drawUninformed(120)(1.5, seed)
		if err != nil {
			t.Fatal(err)
		}
		alone := 0.0
		for i, p := range policies {
			o, err := (&comparedWorkload{}).runOptions(s, p, seed)
			if err != nil {
				t.Fatal(err)
			}
			run, err := s.Run(t.Context(), p, o, nil)
			if err != nil {
				t.Fatal(err)
			}
			sum := 0.0
			for _, jct := range run.JCTs() {
				sum += jct
			}
			if i == 0 {
				alone = sum
			}
			logs[i] += math.Log(sum/alone) / seeds
		}
	}
	multifactor, ours := math.Exp(logs[1]), math.Exp(logs[2])
	t.Logf("mean completion over that of Slurm alone: multifactor %.3f, fairbridge %.3f", multifactor, ours)
	if ours > 1 || ours > multifactor {
		t.Errorf("without information fairbridge comes to %.3f of Slurm alone, Slurm's own order through our loop to %.3f", ours, multifactor)
	}
}

// The section says of each figure whether it is met, with what is wanted and what chance gives.
func TestTargetsAreJudged(t *testing.T) {
	part.Only(t, "studies")
	page, made, err := quickTable(t, t.Context(), t.TempDir(), func(o *SlurmTableOptions) { o.Parts = []string{"targets"} })
	if err != nil || made == 0 {
		t.Fatalf("%d runs are made: %v", made, err)
	}
	for _, text := range []string{
		"\n## The default policy against its targets\n", "\n| Whole days: mean completion time | ", "\n### Jobs that carry no information\n",
		"\n#### Whole days: bounded slowdown of gangs of a node or more\n", "\n### Who loses on whole days\n", " met |",
	} {
		if !strings.Contains(page, text) {
			t.Errorf("no %q in\n%s", text, page)
		}
	}
	if strings.Contains(page, "NaN") {
		t.Errorf("a figure is none:\n%s", page)
	}
}
