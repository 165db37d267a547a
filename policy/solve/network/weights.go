package network

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
)

// Weights is a trained network of one output and how it was trained.
type Weights struct {
	Version  int               `json:"version"` // of what inputs mean
	Features []string          `json:"features"`
	Training map[string]string `json:"training,omitempty"` // the settings it was trained with
	Network  Network           `json:"network"`
}

// ReadWeights reads weights of a version for features, and says why they cannot be used.
func ReadWeights(raw []byte, version int, features []string) (*Weights, error) {
	var w Weights
	if err := json.Unmarshal(raw, &w); err != nil {
		return nil, fmt.Errorf("reading weights: %w", err)
	}
	switch {
	case w.Version != version:
		return nil, fmt.Errorf("reading weights: they are of version %d, want %d", w.Version, version)
	case !slices.Equal(w.Features, features):
		return nil, fmt.Errorf("reading weights: they are for the features %v, want %v", w.Features, features)
	}
	if err := w.Network.Check(len(features)); err != nil {
		return nil, fmt.Errorf("reading weights: %w", err)
	}
	return &w, nil
}

// ShortHash tells weights apart in eight digits: those of their text by FNV-1a.
func ShortHash(raw []byte) string {
	h := fnv.New32a()
	_, _ = h.Write(raw) // never fails
	return fmt.Sprintf("%08x", h.Sum32())
}
