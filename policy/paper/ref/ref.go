// Package ref divides GPUs and cores among elastic jobs in proportion to how much their
// speed depends on each, so that no job prefers an equal part of everything, or
// what another has. The others get what they ask, first come, first served.
//
// S. M. Zahedi, B. C. Lee, "REF: Resource Elasticity Fairness with Sharing
// Incentives for Multiprocessors", ASPLOS 2014.
//
// A job's cores are asked with its GPUs, so only the number of GPUs is set; its
// share of the cores stands in the reason.
package ref

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/order"
	"fairbridge/policy/paper"
	"fairbridge/policy/solve/fair"
)

// Policy is REF with its parameters.
type Policy struct {
	Step float64 `param:"step" default:"2" min:"1" help:"factor by which a running job must be able to grow to be worth its restart; 1: any"`
	paper.Limits
}

// Decide implements policy.Policy.
func (f *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	seen, err := policy.Recall[speedProfiles](s.Memo)
	if err == nil {
		err = seen.validate()
	}
	if err != nil {
		return nil, fmt.Errorf("policy ref: reading what was remembered: %w", err)
	}
	seen = seen.update(s)
	plan, err := engine.Pipeline{
		Name:     "ref",
		Order:    order.ByArrival{},
		Size:     elasticSizer{profiles: seen, minGrowthFactor: f.Step},
		Backfill: backfill.Greedy{},
		Rules:    f.Rules(),
	}.Decide(s)
	if err != nil {
		return nil, err
	}
	plan.Memo = policy.Remember(seen)
	return plan, nil
}

// System describes REF in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "ref", Title: "Resource Elasticity Fairness", Venue: "ASPLOS", Year: 2014,
		Cite:         `S. M. Zahedi, B. C. Lee, "REF: Resource Elasticity Fairness with Sharing Incentives for Multiprocessors", ASPLOS 2014`,
		Idea:         "Divide each resource among elastic jobs in proportion to how much their speed depends on it.",
		OwnStages:    []string{"order", "size", "backfill"},
		NeededInputs: []string{"speeds that jobs of a class report with different numbers of GPUs and cores", "account weights"},
		Fallback:     "a job of a class without three such profiles counts GPUs alone: an equal part by weight; rigid jobs get what they ask",
		Reproduced:   "the paper's example (18, 4 and 6, 8); sharing incentives for all and within 10 % of the most throughput, which denies them to some",
		Deviations: []string{
			"A job's cores are asked with its GPUs, so only the number of GPUs is set.",
			"Under Slurm the number of GPUs of a job is changed in mode elastic only, and on one node; elsewhere jobs get what they ask, in order of arrival.",
			"The exponents come from what jobs of a class report with several sizes; the paper profiles.",
		},
		MayStarve: true,
	})
}

// speedProfiles remembers how fast jobs of a class were with how many GPUs and
// cores, the last measurement of each combination. Rows are sorted.
type speedProfiles struct {
	Rows []speedProfile `json:"rows,omitempty"`
}

type speedProfile struct {
	Class string  `json:"class"` // model family and GPU type
	GPUs  int     `json:"gpus"`
	CPUs  int     `json:"cpus"`
	Speed float64 `json:"speed"` // steps per second
}

// maxProfiles bounds what is remembered.
const maxProfiles = 4096

func (p speedProfile) compare(q speedProfile) int {
	return cmp.Or(strings.Compare(p.Class, q.Class), cmp.Compare(p.GPUs, q.GPUs), cmp.Compare(p.CPUs, q.CPUs))
}

func (p speedProfiles) validate() error {
	ascending := slices.IsSortedFunc(p.Rows, speedProfile.compare)
	for _, r := range p.Rows {
		if !ascending || r.GPUs <= 0 || r.CPUs <= 0 || !(r.Speed > 0) {
			return errors.New("the profiles are garbled")
		}
	}
	return nil
}

// update adds what the jobs of the snapshot report.
func (p speedProfiles) update(s *policy.Snapshot) speedProfiles {
	var found []speedProfile
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if j.Training == nil || j.Class == "" || j.Ask.GPUs.Count <= 0 {
			continue
		}
		for _, r := range j.Training.Rates {
			if r.StepsPerSecond > 0 {
				found = append(found, speedProfile{profileClass(j.Class, r.Type), j.Ask.GPUs.Count, max(j.Ask.CPUs, 1), r.StepsPerSecond})
			}
		}
	}
	if len(found) == 0 {
		return p
	}
	slices.SortStableFunc(found, speedProfile.compare)
	rows := slices.Clone(p.Rows)
	for _, f := range found {
		i, known := slices.BinarySearchFunc(rows, f, speedProfile.compare)
		switch {
		case known:
			rows[i].Speed = f.Speed
		case len(rows) < maxProfiles:
			f.Class = strings.Clone(f.Class)
			rows = slices.Insert(rows, i, f)
		}
	}
	return speedProfiles{rows}
}

// profileClass is a class of jobs on a GPU type; "" is any type.
func profileClass(class, typ string) string { return class + "@" + typ }

// elasticities returns those of a class on a GPU type: of speed in GPUs and in
// cores. GPUs alone count where there are too few profiles.
func (p speedProfiles) elasticities(class, typ string) []float64 {
	for _, name := range []string{profileClass(class, typ), profileClass(class, "")} {
		first, _ := slices.BinarySearchFunc(p.Rows, name, func(r speedProfile, name string) int { return strings.Compare(r.Class, name) })
		var seen []fair.SpeedProfile
		for _, r := range p.Rows[first:] {
			if r.Class != name {
				break
			}
			seen = append(seen, fair.SpeedProfile{Amounts: []float64{float64(r.GPUs), float64(r.CPUs)}, Speed: r.Speed})
		}
		if alpha, ok := fair.Elasticities(seen, 2); ok && alpha[0] > 0 {
			return alpha
		}
	}
	return []float64{1, 1e-9}
}
