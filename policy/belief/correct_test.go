package belief_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/belief"
)

// always corrects all jobs alike.
type always float64

// Correct implements belief.Estimator.
func (a always) Correct(*policy.Job, []float64) float64 { return float64(a) }

// seen keeps what an Estimator is given.
type seen map[policy.JobID]map[string]float64

// Correct implements belief.Estimator.
func (s seen) Correct(j *policy.Job, features []float64) float64 {
	s[j.ID] = map[string]float64{}
	for i, name := range belief.FeatureNames() {
		s[j.ID][name] = features[i]
	}
	return 0
}

// correcting is a Corrector under way.
type correcting struct {
	belief.Corrector
	state belief.State
	track belief.Track
}

// read takes in a reading of each job, a minute later; negative: none.
func (c *correcting) read(s *policy.Snapshot, readings ...float64) (told *policy.Snapshot, source string) {
	s.Now = s.Now.Add(time.Minute)
	for i, z := range readings {
		s.Jobs[i].Utilisation = policy.OptionalValue{Value: z, Known: z >= 0}
	}
	c.state, c.track, told, source = model.UpdateCorrected(c.state, c.track, s, c.Corrector)
	return told, source
}

// TestCorrectsWithinBounds: whatever an Estimator says, what the filter believes changes by no more than it may, and stays within 0 and 1;
// a correction that is no number leaves all of it as it is, and says so.
func TestCorrectsWithinBounds(t *testing.T) {
	for part, c := range map[float64]struct {
		want float64
		by   string
	}{0: {.5, "network x"}, 1: {.6, "network x"}, -7: {.4, "network x"}, math.Inf(1): {.6, "network x"}, math.NaN(): {.5, "the filter, since a correction by network x is no number"}} {
		s := snapshot(running(1, "n1", 0), running(2, "n1", 1))
		s.Jobs[0].Sharing = &policy.Sharing{Utilisation: policy.KnownValue(.5), Source: "measured"}
		s.Jobs[1].Sharing = &policy.Sharing{Utilisation: policy.KnownValue(.98), Source: "measured"}
		x := correcting{Corrector: belief.Corrector{Estimator: always(part), Name: "network x", MaxDifference: .1}}
		told, by := x.read(s, -1, -1)
		if mean, _ := used(told, 0); math.Abs(mean-c.want) > 1e-9 || by != c.by {
			t.Errorf("by %g: %.3f, want %.3f, by %s", part, mean, c.want, by)
		}
		if mean, _ := used(told, 1); mean > 1 {
			t.Errorf("by %g: %.3f", part, mean)
		}
	}
}

// TestErringCorrections: corrections that foretell readings worse than the filter are not believed any more, reasons have by how much, and
// they are believed again once they have been right for long.
func TestErringCorrections(t *testing.T) {
	chance := rand.New(rand.NewPCG(3, 1))
	reading := func() float64 { return .5 * (1 + .2*chance.NormFloat64()) }
	x := correcting{Corrector: belief.Corrector{Estimator: always(1), Name: "network x", MaxDifference: .1}}
	s := snapshot(running(1, "n1", 0), running(2, "n1", 1), running(3, "n1", 2), running(4, "n1", 3))
	turns := func(count int) (by string, told *policy.Snapshot) {
		for range count {
			told, by = x.read(s, reading(), reading(), reading(), reading())
		}
		return by, told
	}
	if by, _ := turns(400); by != "network x" {
		t.Errorf("after 1,600 readings by %s", by)
	}
	by, told := turns(200)
	if !strings.HasPrefix(by, "the filter, since readings were off by 0.1") || !strings.Contains(by, "of what network x foretold and by 0.1") {
		t.Errorf("after 2,400 readings by %s", by)
	}
	if mean, _ := used(told, 0); math.Abs(mean-.5) > .08 {
		t.Errorf("the filter believes %.3f", mean)
	}
	x.Estimator = always(0)
	if by, _ = turns(200); strings.HasPrefix(by, "network") {
		t.Errorf("believed again at once by %s", by)
	}
	x.track.Score = belief.Score{Readings: 8000, Filter: 101, Corrected: 100.99, IsWorse: true}
	if by, _ = turns(1); by != "network x" {
		t.Errorf("after it was as good as the filter by %s", by)
	}
}

// TestWhatIsScored: of full GPUs, of jobs that share one, and of a first reading none says who is right.
func TestWhatIsScored(t *testing.T) {
	x := correcting{Corrector: belief.Corrector{Estimator: always(1), MaxDifference: .1}}
	s := snapshot(running(1, "n1", 0), running(2, "n1", 1), running(3, "n1", 1), running(4, "n2", 0))
	s.Jobs[3].Sharing = &policy.Sharing{Utilisation: policy.KnownValue(.9), Source: "measured"}
	x.read(s, .4, .5, .5, .9)
	if x.track.Score.Readings != 0 {
		t.Errorf("a first reading: %+v", x.track.Score)
	}
	x.read(s, .4, .5, .5, .9)
	if x.track.Score.Readings != 1 {
		t.Errorf("%+v, want the one of job 1", x.track.Score)
	}
}

// TestFeatures: an Estimator sees what the filter believes, how far readings are from that, less what neighbours use, and whether a job runs.
func TestFeatures(t *testing.T) {
	sees := seen{}
	x := correcting{Corrector: belief.Corrector{Estimator: sees}}
	s := snapshot(running(1, "n1", 0), running(2, "n1", 1), running(3, "n1", 1), policy.Job{ID: 4, State: policy.Pending})
	s.Jobs[2].Sharing = &policy.Sharing{Utilisation: policy.KnownValue(.3), Source: "measured"}
	s.Jobs[3].Sharing = &policy.Sharing{Utilisation: policy.KnownValue(.7), Source: "measured"}
	told, _ := x.read(s, .5, 1, 1, -1)
	one, _ := used(told, 0)
	if f := sees[1]; math.Abs(f["mean"]-(2*one-1)) > 1e-9 || math.Abs(f["last"]-4*(.5-one)) > 1e-9 || f["last"] != f["slow"] || f["young"] != .5 || f["shares"] != 0 || f["runs"] != 1 || f["full"] != 0 {
		t.Errorf("of a job alone %v", f)
	}
	three, _ := used(told, 2)
	two, _ := used(told, 1)
	if f := sees[2]; math.Abs(f["last"]-4*(1-three-two)) > 1e-9 || f["shares"] != 1 || f["full"] != 1 {
		t.Errorf("of a job that shares %v", f)
	}
	if f := sees[4]; math.Abs(f["mean"]-.4) > 1e-9 || f["runs"] != 0 || f["last"] != 0 || f["young"] != 1 {
		t.Errorf("of a job that waits %v", f)
	}
	x.read(s, 1, 1, 1, -1)
	if f := sees[1]; f["last"] <= f["fast"] || f["fast"] < f["slow"] || f["young"] != 1./3 || f["full"] == 0 {
		t.Errorf("after a second reading %v", f)
	}
	s.Jobs[0].State, s.Jobs[0].On = policy.Pending, nil
	x.read(s, -1, 1, 1, -1)
	if len(x.track.Jobs) != 2 || sees[1]["runs"] != 0 {
		t.Errorf("of a job that was stopped %+v, %v", x.track.Jobs, sees[1])
	}
}
