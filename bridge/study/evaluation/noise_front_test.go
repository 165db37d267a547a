package evaluation

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fairbridge/bridge/study"
	"fairbridge/bridge/study/evaluation/targets"
	"fairbridge/bridge/study/policyset"
	"fairbridge/scripts/verify/part"
)

// Every policy has a row for each thing it is told, the bound is below all of them, and Slurm alone runs
// once however many things others are told.
func TestPoliciesAreToldLessAndLess(t *testing.T) {
	part.Only(t, "studies")
	page, made, err := quickTable(t, t.Context(), t.TempDir(), func(o *SlurmTableOptions) { o.Parts = []string{"noise"} })
	// Two seeds of five settings, Slurm alone twice in each, whatever is told to the 28 others.
	if want := 2 * (5*2 + 28); err != nil || made != want {
		t.Fatalf("%d runs are made, want %d: %v", made, want, err)
	}
	for _, text := range []string{
		"\n### With wrong predictions: load 1, no job may be stopped\n\nWanted of mean completion under `fairbridge`: .97.\n", "\n| lower bound | – | 2 | ", "\n| slurm again | – | 2 | ",
		"\n| fairbridge | the truth | 2 | ", "\n| sjf | the truth × 2 | 2 | ", "\n| fairbridge | learnt | 2 | ", "\n| sjf | nothing | 2 | ", "\n| srtf | learnt | 2 | ",
	} {
		if !strings.Contains(page, text) {
			t.Errorf("no %q in\n%s", text, page)
		}
	}
	if strings.Contains(page, "NaN") {
		t.Errorf("a figure is none:\n%s", page)
	}
	bound, tables := 0.0, page[max(strings.Index(page, "\n### With wrong"), 0):]
	for line := range strings.Lines(tables) {
		cells := strings.Split(line, " | ")
		completion, err := strconv.ParseFloat(cells[min(3, len(cells)-1)], 64)
		switch {
		case err != nil: // no row of a policy
		case cells[0] == "| lower bound":
			bound = completion
		case completion < bound || bound == 0:
			t.Errorf("below the bound of %g: %s", bound, line)
		}
	}
	if bound == 0 {
		t.Error("there is no bound")
	}
}

// What is told reaches the runs of policies, and no run of Slurm alone.
func TestOnlyPoliciesAreTold(t *testing.T) {
	policies, err := policyset.ParsePolicies("slurm,sjf", false)
	if err != nil {
		t.Fatal(err)
	}
	s, err := drawDays(0.02)(1, 1)
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, told := range []knowledge{toldTruth, toldNoise(2), toldLearnt, toldNothing} {
		w := comparedWorkload{told: told}
		for i, p := range policies {
			o, err := w.runOptions(s, p, 1)
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 && (o.KnowsTruth || o.NoiseFactor != 0 || o.PredictsNothing) {
				t.Errorf("Slurm alone is told %s", told)
			}
			key, err := s.RunKey(p, o)
			if err != nil {
				t.Fatal(err)
			}
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	if n, want := len(slices.Compact(keys)), 1+4; n != want {
		t.Errorf("%d different runs, want %d", n, want)
	}
}

// A row that lacks a day is left out, and stands with fewer days again.
func TestRowsOfOtherDaysAreLeftOut(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	folder, isFront := t.TempDir(), func(o *SlurmTableOptions) {
		o.Parts, o.Parallel, o.MakesNone, o.SeedCount = []string{"front"}, 1, true, 1
	}
	// The first seed is ten runs. Then Slurm alone runs twice on the second, and fairbridge with its defaults.
	page, _, err := quickTable(t, ctx, folder, func(o *SlurmTableOptions) {
		o.Parts, o.Parallel, o.Runs = []string{"front"}, 1, &interruptingKeeper{o.Runs.(*countingKeeper), 13, interrupt}
	})
	if none, _, _ := strings.Cut(page, "all jobs may be stopped"); err == nil || !strings.Contains(none, "\n| fairbridge | 2 | ") || strings.Contains(none, "\n| sjf | ") {
		t.Errorf("interrupted (%v):\n%s", err, page)
	}
	if page, _, err = quickTable(t, t.Context(), folder, isFront); err != nil || strings.Count(page, "\n| sjf | 1 | ") != 2 {
		t.Errorf("of one day (%v):\n%s", err, page)
	}
}

// On the front is who is not beaten by both figures; one beaten names those who beat it.
func TestFront(t *testing.T) {
	row := func(policy string, completion, worst float64) frontRow {
		return frontRow{policy, []targets.Value{targets.MeanCompletion.ValueOf([]float64{completion}), targets.WorstBelowShare.ValueOf([]float64{worst})}}
	}
	rows := []frontRow{row(chanceLabel, .1, .1), row("fast", .6, 3), row("both", .7, 2), row("lame", .7, 2.5), row("twin", .7, 2), row("late", .9, 2.1), row("slurm", 1, 1)}
	for i, want := range []string{"–", "**yes**", "**yes**", "no: both, twin", "**yes**", "no: both, twin", "**yes**"} {
		if got := describeFront(rows, i); got != want {
			t.Errorf("%s: %q, want %q", rows[i].policy, got, want)
		}
	}
}

// The section has a row for each policy, Slurm alone among them, the fastest first.
func TestFrontIsWritten(t *testing.T) {
	part.Only(t, "studies")
	page, _, err := quickTable(t, t.Context(), t.TempDir(), func(o *SlurmTableOptions) { o.Parts = []string{"front"} })
	if err != nil {
		t.Fatal(err)
	}
	none, all := (study.Setting{OfferedLoad: frontLoad, StoppableShare: new(float64)}).String(), "load 1.5, all jobs may be stopped"
	for _, text := range []string{
		"\n### Mean completion against fairness: " + none + "\n", "\n### Mean completion against fairness: " + all + "\n",
		"\n| slurm | 3 | 1.000 | 1.000 | 1.000 | 1.000 | ", "\n| fairbridge:fair=4 | 3 | ", "| **yes** |", "\n| slurm again | 3 | ",
	} {
		if !strings.Contains(page, text) {
			t.Errorf("no %q in\n%s", text, page)
		}
	}
	if strings.Contains(page, "NaN") {
		t.Errorf("a figure is none:\n%s", page)
	}
}
