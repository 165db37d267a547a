package ref

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"fairbridge/policy"
	"fairbridge/policy/solve/fair"
)

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
