package paper

import (
	"fmt"
	"slices"
	"strings"
)

// UnknownNameError says that there is no such thing, which one may be meant, and which
// there are.
func UnknownNameError(what, name string, names []string) error {
	if len(names) == 0 {
		return fmt.Errorf("%s %q is unknown, there are none", what, name)
	}
	all := strings.Join(slices.Sorted(slices.Values(names)), ", ")
	if like := closestName(name, names); like != "" {
		return fmt.Errorf("%s %q is unknown, did you mean %s? There are %s", what, name, like, all)
	}
	return fmt.Errorf("%s %q is unknown, there are %s", what, name, all)
}

// closestName returns the name that differs least, or "" when none is close.
func closestName(name string, names []string) string {
	best, at := 1+max(1, len(name)/3), ""
	for _, n := range slices.Sorted(slices.Values(names)) {
		if d := editDistance(strings.ToLower(name), n); d < best {
			best, at = d, n
		}
	}
	return at
}

// editDistance is the Levenshtein distance in bytes.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
