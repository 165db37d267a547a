package predict_test

import (
	"math"
	"testing"

	"fairbridge/policy"
	"fairbridge/policy/predict"
)

func regime(batch int, epochs, seconds float64) policy.Regime {
	return policy.Regime{BatchSize: batch, Epochs: epochs, SecondsPerEpoch: seconds}
}

func TestRegimes(t *testing.T) {
	modes := []policy.Regime{{BatchSize: 32, SecondsPerEpoch: 100}, {BatchSize: 64, SecondsPerEpoch: 60}}
	imageNet := policy.Training{Epochs: 14, EpochsDone: 9, SeenRegimes: []policy.Regime{regime(64, 10, 134)},
		PossibleRegimes: []policy.Regime{{BatchSize: 64, SecondsPerEpoch: 134}, {BatchSize: 128, SecondsPerEpoch: 128}}}
	for name, c := range map[string]struct {
		p    predict.Regimes
		job  policy.Training
		want predict.RemainingWork
	}{
		// 9:5 of 10 epochs are 6.43 and 3.57; 4 of the first were seen.
		"the brief's": {predict.Regimes{},
			policy.Training{Epochs: 10, EpochsDone: 3, SeenRegimes: []policy.Regime{regime(32, 4, 100)}, PossibleRegimes: modes},
			predict.RemainingWork{SecondsLeft: 457.142857, SecondsDone: 300, SecondsPerEpoch: 100}},
		// 6:9 of 10 epochs are 4 and 6; 1 and 4 were seen.
		"two regimes seen": {predict.Regimes{},
			policy.Training{Epochs: 10, EpochsDone: 4, SeenRegimes: []policy.Regime{regime(32, 1, 100), regime(64, 4, 60)}, PossibleRegimes: modes},
			predict.RemainingWork{SecondsLeft: 3*100 + 2*60, SecondsDone: 280, SecondsPerEpoch: 68}},
		// 15:5 of 10 epochs are 7.5 and 2.5, 7 of the 10 seen come off: 3 epochs
		// for the one that is left, and one more for the present one.
		"more seen than expected": {predict.Regimes{},
			policy.Training{Epochs: 10, EpochsDone: 9, SeenRegimes: []policy.Regime{regime(32, 10, 100)}, PossibleRegimes: modes},
			predict.RemainingWork{SecondsLeft: (0.5*100 + 2.5*60) / 4, SecondsDone: 900, SecondsPerEpoch: 100}},
		// 17:7 of 14 epochs are 9.92 and 4.08; 9 of the 10 seen come off and leave
		// 5, by rounding a trifle less: the one more does not count.
		"rounded like the authors": {predict.Regimes{RoundsLikeAuthors: true}, imageNet, predict.RemainingWork{SecondsLeft: 645.5, SecondsDone: 9 * 134, SecondsPerEpoch: 134}},
		"not rounded":              {predict.Regimes{}, imageNet, predict.RemainingWork{SecondsLeft: 645.5 * 5 / 6, SecondsDone: 9 * 134, SecondsPerEpoch: 134}},
		"one mode": {predict.Regimes{},
			policy.Training{Epochs: 10, EpochsDone: 3, SeenRegimes: []policy.Regime{regime(32, 4, 100)}, PossibleRegimes: modes[:1]},
			predict.RemainingWork{SecondsLeft: 600, SecondsDone: 300, SecondsPerEpoch: 100}},
		"never ran": {predict.Regimes{},
			policy.Training{Epochs: 10, PossibleRegimes: modes}, predict.RemainingWork{SecondsLeft: 800 * 10.0 / 11, SecondsPerEpoch: 100}},
		"restated, first regime": {predict.Regimes{TakesRegimesInOrder: true}, // 5 epochs each, 3 done
			policy.Training{Epochs: 10, EpochsDone: 3, SeenRegimes: []policy.Regime{regime(32, 4, 100)}, PossibleRegimes: modes},
			predict.RemainingWork{SecondsLeft: 2*100 + 5*60, SecondsDone: 300, SecondsPerEpoch: 100}},
		"restated, last regime": {predict.Regimes{TakesRegimesInOrder: true},
			policy.Training{Epochs: 10, EpochsDone: 4, SeenRegimes: []policy.Regime{regime(32, 1, 100), regime(64, 4, 60)}, PossibleRegimes: modes},
			predict.RemainingWork{SecondsLeft: 6 * 60, SecondsDone: 280, SecondsPerEpoch: 68}},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := c.p.RemainingWork(&c.job)
			if !ok || math.Abs(got.SecondsLeft-c.want.SecondsLeft) > 1e-4 || got.SecondsDone != c.want.SecondsDone || got.SecondsPerEpoch != c.want.SecondsPerEpoch {
				t.Errorf("got %+v %v, want %+v", got, ok, c.want)
			}
		})
	}
}

func TestRegimesSigma(t *testing.T) {
	modes := []policy.Regime{{BatchSize: 32, SecondsPerEpoch: 100}, {BatchSize: 64, SecondsPerEpoch: 60}}
	early, _ := predict.Regimes{}.RemainingWork(&policy.Training{Epochs: 100, PossibleRegimes: modes})
	late, _ := predict.Regimes{}.RemainingWork(&policy.Training{Epochs: 100, EpochsDone: 90, SeenRegimes: []policy.Regime{regime(32, 91, 100)}, PossibleRegimes: modes})
	// Half and half of 100 counts: 100 epochs of standard deviation 20/√101.
	if want := 100 * 20 / math.Sqrt(101); math.Abs(early.SecondsLeftSigma-want) > 1e-9 {
		t.Errorf("σ %v, want %v", early.SecondsLeftSigma, want)
	}
	if late.SecondsLeftSigma >= early.SecondsLeftSigma/5 {
		t.Errorf("σ %v near the end, %v at first", late.SecondsLeftSigma, early.SecondsLeftSigma)
	}
}

func TestRegimesUnknown(t *testing.T) {
	for _, job := range []*policy.Training{nil, {}, {Epochs: 3}, {Epochs: 3, PossibleRegimes: []policy.Regime{{BatchSize: 1}}}} {
		if _, ok := (predict.Regimes{}).RemainingWork(job); ok {
			t.Errorf("%+v: predicted", job)
		}
	}
}
