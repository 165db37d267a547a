package trial

import (
	"maps"
	"slices"
	"strings"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// and puts joined errors in one line.
func and(err error) string { return strings.ReplaceAll(err.Error(), "\n", ", ") }
