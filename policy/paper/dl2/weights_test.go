package dl2

import (
	"encoding/json"
	"strings"
	"testing"

	"fairbridge/policy/solve/network"
)

// TestShippedWeights: those that are built in can be used, say how they were trained, and are
// small.
func TestShippedWeights(t *testing.T) {
	w, err := ReadWeights(shippedWeights)
	if err != nil || w.Training["seed"] == "" || w.Training["teacher"] == "" || len(shippedWeights) > 100_000 {
		t.Errorf("%v, trained by %v, %d bytes", err, w, len(shippedWeights))
	}
	if _, source := (&Policy{}).newChooser(shippedWeights); source != "the scores of network "+network.ShortHash(shippedWeights) {
		t.Errorf("goes by %s", source)
	}
}

// TestWeightsThatCannotBeUsed leave decisions to the teacher, and say why.
func TestWeightsThatCannotBeUsed(t *testing.T) {
	changed := func(change func(*network.Weights)) string {
		var w network.Weights
		if err := json.Unmarshal(shippedWeights, &w); err != nil {
			t.Fatal(err)
		}
		change(&w)
		raw, err := json.Marshal(w)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	for raw, want := range map[string]string{
		"{": "unexpected end",
		changed(func(w *network.Weights) { w.Version = 2 }):                                                    "of version 2, want 1",
		changed(func(w *network.Weights) { w.Features = w.Features[1:] }):                                      "for the features",
		changed(func(w *network.Weights) { w.Network.Layers = nil }):                                           "no layers",
		changed(func(w *network.Weights) { w.Network.Layers[1].Bias = nil }):                                   "layer 2 has 16 rows of weights and 0 biases",
		changed(func(w *network.Weights) { w.Network.Layers[0].Weights[3] = []float64{1} }):                    "a row of 1 weights",
		changed(func(w *network.Weights) { w.Network.Layers = w.Network.Layers[:1] }):                          "16 outputs",
		changed(func(w *network.Weights) { w.Network.Layers[2].Weights, w.Network.Layers[2].Bias = nil, nil }): "layer 3 has 0 rows",
	} {
		chooser, source := (&Policy{}).newChooser([]byte(raw))
		if _, ok := chooser.(ShortestFirst); !ok || !strings.Contains(source, want) {
			t.Errorf("%T by %q, want the teacher and %q", chooser, source, want)
		}
	}
}
