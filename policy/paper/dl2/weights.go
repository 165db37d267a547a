package dl2

import (
	_ "embed" // the weights
	"slices"

	"fairbridge/policy/solve/network"
)

// WeightsVersion is the version of what weights mean: of the features and of how candidates are
// offered.
const WeightsVersion = 1

// FeatureNames are what a network sees of a candidate, in their order.
func FeatureNames() []string { return slices.Clone(featureNames) }

// ReadWeights reads weights and says why they cannot be used.
func ReadWeights(raw []byte) (*network.Weights, error) {
	return network.ReadWeights(raw, WeightsVersion, featureNames)
}

//go:embed weights.json
var shippedWeights []byte
