package slurm

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Features are the constraint of a job, read once.
type Features struct {
	Text     string   // as Slurm writes it: "a100&ib", "[rack1|rack2]"
	Required []string // features that a node must have all, sorted; nil when the constraint says more
}

// ReadFeatures reads a constraint.
func ReadFeatures(text string) Features {
	if text == "" || strings.ContainsAny(text, "|[]()*!,") {
		return Features{Text: text}
	}
	all := strings.Split(text, "&")
	slices.Sort(all)
	return Features{Text: text, Required: slices.Compact(all)}
}

// IsPlainList reports whether the constraint is a list of features, all wanted, or
// none.
func (f Features) IsPlainList() bool { return f.Text == "" || f.Required != nil }

// Dependency is what a job waits for, read once.
type Dependency struct {
	Text string // as Slurm writes it: "afterok:12(unfulfilled),afterany:13_4"
	// JobIDs are the ids in it, each once. A task number may be taken for an id.
	JobIDs []int64
}

var dependencyIDPattern = regexp.MustCompile(`[:_,?]([0-9]+)`)

// ReadDependency reads a dependency.
func ReadDependency(text string) Dependency {
	d := Dependency{Text: text}
	if text == "" {
		return d
	}
	for _, m := range dependencyIDPattern.FindAllStringSubmatch(text, -1) {
		if id, err := strconv.ParseInt(m[1], 10, 64); err == nil && !slices.Contains(d.JobIDs, id) {
			d.JobIDs = append(d.JobIDs, id)
		}
	}
	return d
}
