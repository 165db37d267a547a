package dl2

import (
	_ "embed" // the weights
	"encoding/json"
	"fmt"
	"slices"

	"fairbridge/policy/solve/network"
)

// WeightsVersion is the version of what weights mean: of the features and of how candidates are
// offered.
const WeightsVersion = 1

// Weights is a trained policy network and how it was trained.
type Weights struct {
	Version  int               `json:"version"`
	Features []string          `json:"features"`
	Training map[string]string `json:"training,omitempty"` // the settings it was trained with
	Network  network.Network   `json:"network"`
}

// FeatureNames are what a network sees of a candidate, in their order.
func FeatureNames() []string { return slices.Clone(featureNames) }

// ReadWeights reads weights and says why they cannot be used.
func ReadWeights(raw []byte) (*Weights, error) {
	var w Weights
	if err := json.Unmarshal(raw, &w); err != nil {
		return nil, fmt.Errorf("reading weights: %w", err)
	}
	switch {
	case w.Version != WeightsVersion:
		return nil, fmt.Errorf("reading weights: they are of version %d, want %d", w.Version, WeightsVersion)
	case !slices.Equal(w.Features, featureNames):
		return nil, fmt.Errorf("reading weights: they are for the features %v, want %v", w.Features, featureNames)
	}
	if err := w.Network.Check(len(featureNames)); err != nil {
		return nil, fmt.Errorf("reading weights: %w", err)
	}
	return &w, nil
}

//go:embed weights.json
var shippedWeights []byte
