package harm

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// waits is a figure of the mean wait of all jobs, in minutes.
func waits(jobs int, live, alone, band float64) Figure {
	return Figure{Kind: Wait, JobCount: jobs, Live: 60 * live, Alone: 60 * alone, Band: 60 * band}
}

func of(f Figure, account, size string) Figure {
	f.Account, f.Size = account, size
	return f
}

func TestClaimsOfFigures(t *testing.T) {
	b := DefaultBounds() // a quarter, more than 10 minutes; four times that for an account, twice for a size
	for _, c := range []struct {
		name  string
		f     Figure
		stops int
		want  Claim
	}{
		{"twice as long", waits(100, 120, 60, 10), 0, Harm},
		{"twice as long, but nobody is sure", waits(100, 120, 60, 50), 0, CannotTell},
		{"twice as long, of few jobs", waits(29, 120, 60, 0), 0, CannotTell},
		{"a little longer", waits(100, 70, 60, 1), 0, NoHarm},
		{"shorter", waits(100, 30, 60, 5), 0, NoHarm},
		{"three times as long, and no time at all", waits(100, 9, 3, 0), 0, NoHarm},
		{"a little longer after many stops", waits(100, 70, 60, 1), 11, Harm},
		{"half a minute longer after many stops", waits(100, 60.5, 60, 0), 11, NoHarm},
		{"a little longer after some stops", waits(100, 70, 60, 1), 10, NoHarm},
		{"almost twice as long for one account", of(waits(100, 115, 60, 1), "a", ""), 0, NoHarm},
		{"three times as long for one account", of(waits(100, 180, 60, 1), "a", ""), 0, Harm},
		{"almost twice as long for one size", of(waits(100, 115, 60, 1), "", "16 GPUs"), 0, Harm},
		{"a third longer for one size", of(waits(100, 80, 60, 1), "", "16 GPUs"), 0, NoHarm},
		{"three times as long for one size", of(waits(100, 180, 60, 1), "", "1 GPU"), 0, Harm},
		{"an account after many stops", of(waits(100, 70, 60, 1), "a", ""), 11, NoHarm},
		{"slowdown", Figure{Kind: Slowdown, JobCount: 100, Live: 16, Alone: 10, Band: .8}, 0, Harm},
		{"slowdown, not sure", Figure{Kind: Slowdown, JobCount: 100, Live: 16, Alone: 10, Band: 1.2}, 0, CannotTell},
		{"simulated as well", Figure{Kind: Wait, JobCount: 100, Live: 7200, Alone: 3600, OwnError: -60, Band: 600}, 0, Harm},
		{"simulated worse", Figure{Kind: Wait, JobCount: 100, Live: 7200, Alone: 3600, OwnError: 9000, Band: 600}, 0, Harm},
		{"not simulated, whoever decides", Figure{Kind: Wait, JobCount: 100, Live: 7200, Alone: 3600, OwnError: -3500}, 0, CannotTell},
		{"well, but simulated worse", Figure{Kind: Wait, JobCount: 100, Live: 3600, Alone: 3600, OwnError: 2000}, 0, CannotTell},
		{"idle", Figure{Kind: Idle, JobCount: 100, Live: 25, Alone: 10, Band: 4}, 0, Harm},
		{"idle, a little", Figure{Kind: Idle, JobCount: 100, Live: 15, Alone: 10, Band: 4}, 0, NoHarm},
		{"nothing is known", waits(100, math.NaN(), 60, 1), 0, CannotTell},
	} {
		if c.f.judge(&b, c.stops); c.f.Claim != c.want {
			t.Errorf("%s: %s, want %s", c.name, c.f.Claim, c.want)
		}
	}
}

func TestVerdicts(t *testing.T) {
	good, bad, unsure := waits(100, 50, 60, 5), waits(100, 120, 60, 5), waits(100, 120, 60, 50)
	idle := Figure{Kind: Idle, JobCount: 100, Live: 40, Alone: 10}
	for _, c := range []struct {
		name    string
		figures []Figure
		want    Claim
		reasons []string // what each must say
	}{
		{"all is well", []Figure{good}, NoHarm, []string{"100 jobs waited 50m"}},
		{"one account is harmed", []Figure{good, of(waits(40, 300, 60, 5), "a", ""), of(good, "b", "")}, Harm, []string{"40 jobs of account a waited 5h"}},
		{"the worst first", []Figure{of(waits(40, 600, 60, 5), "a", ""), bad, idle}, Harm, []string{"100 jobs waited 2h", "40 % of the GPUs stood idle", "account a"}},
		{"nobody is sure", []Figure{unsure, of(good, "b", "")}, CannotTell, []string{"may be off by more"}},
		{"few jobs", []Figure{waits(3, 500, 10, 0)}, CannotTell, []string{"fewer than 30 jobs"}},
		{"no job", nil, CannotTell, []string{"No job arrived"}},
	} {
		got := JudgeMeasurement("gpu", noon, Measurement{Figures: c.figures}, DefaultBounds())
		if got.Verdict != c.want || len(got.Reasons) != len(c.reasons) {
			t.Errorf("%s: %s, want %s: %q", c.name, got.Verdict, c.want, got.Reasons)
			continue
		}
		for i, want := range c.reasons {
			if !strings.Contains(got.Reasons[i], want) {
				t.Errorf("%s: reason %d is %q, want %q in it", c.name, i, got.Reasons[i], want)
			}
		}
	}
}

// TestJudgingChangesNoFigureOfTheCaller.
func TestJudgingChangesNoFigureOfTheCaller(t *testing.T) {
	m := Measurement{Figures: []Figure{waits(100, 120, 60, 5)}}
	if JudgeMeasurement("gpu", noon, m, DefaultBounds()); m.Figures[0].Claim != "" {
		t.Error("it was written to")
	}
}

// checks are verdicts an hour apart, the newest first: h, n and c.
func checks(verdicts string, apart time.Duration) []Check {
	var all []Check
	for i, v := range verdicts {
		c := Check{Partition: "gpu", At: noon.Add(-time.Duration(i) * apart), Reasons: []string{"So it is."}}
		c.Verdict = map[rune]Claim{'h': Harm, 'n': NoHarm, 'c': CannotTell}[v]
		all = append(all, c)
	}
	return all
}

func TestHarmMustLast(t *testing.T) {
	for verdicts, want := range map[string]bool{
		"": false, "h": false, "hh": false, "hhh": true, "hhhn": true, "hhn": false, "hnhh": false, "nhhh": false,
		"ccc": false, "chhh": false, "hchh": true, "hcccchch": true, "hchn": false,
	} {
		if _, got := DecideDemotion(checks(verdicts, time.Hour), DefaultBounds()); got != want {
			t.Errorf("%s: demoted %t, want %t", verdicts, got, want)
		}
	}
	if _, got := DecideDemotion(checks("hhhhh", 10*time.Minute), DefaultBounds()); got {
		t.Error("demoted by checks within 40 minutes, of which two are far enough apart")
	}
	if _, got := DecideDemotion(checks("hhhhhhh", 10*time.Minute), DefaultBounds()); !got {
		t.Error("not demoted by an hour of harm")
	}
	b := DefaultBounds()
	b.Demote = false
	if _, got := DecideDemotion(checks("hhh", time.Hour), b); got {
		t.Error("demoted though the bounds say not to")
	}
}

// TestHarmOfTheCandidateIsItsOwn: letters are checks of the candidate, capitals of the incumbent, an
// hour apart, the newest first. Only those of who is live in the newest count, of whatever days.
func TestHarmOfTheCandidateIsItsOwn(t *testing.T) {
	for verdicts, want := range map[string]string{
		"hhh": "candidate", "hhNNNNh": "candidate", "hNhNh": "candidate", "hhHHn": "", "hhHHH": "", "HHH": "partition", "HnHnH": "partition",
		"Hhhhh": "", "Nhhh": "", "hhhHHH": "candidate", "HHNhh": "", "hnhh": "", "chhh": "",
	} {
		all := checks(strings.ToLower(verdicts), time.Hour)
		for i := range all {
			if all[i].Policy = "incumbent"; verdicts[i] >= 'a' {
				all[i].Policy = "candidate"
			}
		}
		candidate, got := "", ""
		if all[0].Policy == "candidate" {
			candidate = "srtf"
		}
		if d, yes := DecideDemotionByTurns(all, candidate, DefaultBounds()); yes {
			if got = "partition"; d.Candidate == "srtf" {
				got = "candidate"
			}
			if verdicts == "hhNNNNh" && !strings.HasSuffix(d.Why, "of those of the incumbent that could tell (4), 0 showed harm.") {
				t.Error(d.Why)
			}
		}
		if got != want {
			t.Errorf("%s: demoted %q, want %q", verdicts, got, want)
		}
	}
}

func TestDemotionSaysWhy(t *testing.T) {
	b := DefaultBounds()
	d, _ := DecideDemotion(checks("hhh", time.Hour), b)
	if want := "3 checks in a row, over 2h, showed harm. The last: So it is."; d.Why != want || !d.Since.Equal(noon) || !d.Until.IsZero() || d.Partition != "gpu" {
		t.Errorf("%+v, want %q", d, want)
	}
	if text := d.Text(); !strings.Contains(text, "fairbridge guard clear gpu") {
		t.Error(text)
	}
	b.Lasts = 6 * time.Hour
	if d, _ = DecideDemotion(checks("hhh", time.Hour), b); !d.Until.Equal(noon.Add(6 * time.Hour)) {
		t.Errorf("until %v", d.Until)
	}
}

// TestADemotionOnlyLowers: no mode is raised, and the plan stays that of the configured mode.
func TestADemotionOnlyLowers(t *testing.T) {
	d := bridge.Demotion{Partition: "gpu"}
	for _, m := range bridge.Modes {
		got := d.Demote(bridge.Partition{Name: "gpu", Mode: m})
		if !m.Allows(got.Mode) || got.Mode.Allows(bridge.ModeRank) {
			t.Errorf("mode %s becomes %s", m, got.Mode)
		}
		if m.Allows(bridge.ModeRank) && got.PlanMode() != m {
			t.Errorf("mode %s: plans for %s", m, got.PlanMode())
		}
	}
}

func TestBoundsAreChecked(t *testing.T) {
	b := DefaultBounds()
	if err := b.Validate(); err != nil {
		t.Errorf("the defaults: %v", err)
	}
	bad := Bounds{Window: time.Minute, WaitPercent: math.NaN(), WaitFloor: -1, SlowdownPercent: -1, IdlePercent: 101, Stops: -1, Lasts: -1}
	err := bad.Validate()
	for _, key := range []string{"window", "checks", "jobs", "wait_percent", "wait_floor", "slowdown_percent", "group_factor", "idle_percent", "stops", "lasts"} {
		if err == nil || !slices.ContainsFunc(strings.Split(err.Error(), "\n"), func(line string) bool { return strings.HasPrefix(line, key+": ") }) {
			t.Errorf("%s is not named: %v", key, err)
		}
	}
}
