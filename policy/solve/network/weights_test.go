package network_test

import (
	"encoding/json"
	"strings"
	"testing"

	"fairbridge/policy/solve/network"
)

// TestReadWeights: weights of another version, for other features or of another shape are refused, and say why; a hash tells
// them apart.
func TestReadWeights(t *testing.T) {
	good := network.Weights{Version: 2, Features: []string{"a"}, Network: network.Network{Layers: []network.Layer{{Weights: [][]float64{{3}}, Bias: []float64{1}}}}}
	raw, err := json.Marshal(good)
	if err != nil {
		t.Fatal(err)
	}
	w, err := network.ReadWeights(raw, 2, []string{"a"})
	if err != nil || w.Network.Forward([]float64{2}) != 7 {
		t.Errorf("%v, %v", w, err)
	}
	for want, read := range map[string]func() (*network.Weights, error){
		"version 2, want 3": func() (*network.Weights, error) { return network.ReadWeights(raw, 3, []string{"a"}) },
		"features [a]":      func() (*network.Weights, error) { return network.ReadWeights(raw, 2, []string{"b"}) },
		"no layers": func() (*network.Weights, error) {
			return network.ReadWeights([]byte(`{"version":2,"features":["a"]}`), 2, []string{"a"})
		},
		"reading weights": func() (*network.Weights, error) { return network.ReadWeights([]byte("x"), 2, nil) },
	} {
		if _, err := read(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if a, b := network.ShortHash(raw), network.ShortHash([]byte("x")); a == b || len(a) != 8 {
		t.Errorf("%s and %s", a, b)
	}
}
