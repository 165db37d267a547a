package belief

import (
	"cmp"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/solve/kalman"
)

// State is what is remembered from one decision to the next.
type State struct {
	At     time.Time `json:"at,omitzero"`
	Groups []Group   `json:"groups,omitempty"`
	Kinds  []Kind    `json:"kinds,omitempty"` // sorted by user and name
}

// Group are jobs of which what is known hangs together: those of one node, or a single one.
type Group struct {
	Members    []Member  `json:"jobs"` // by id
	Covariance []float64 `json:"cov"`  // row by row up to the diagonal
}

// Member is a job.
type Member struct {
	ID   policy.JobID `json:"id"`
	User string       `json:"user"`
	Name string       `json:"name"` // what jobs of its kind share, see kindOf
	Mean float64      `json:"mean"` // share of the time in which its GPUs compute for it, 0..1
}

// Kind is what is thought of jobs of one user and name, from those that ended or lost their GPUs.
type Kind struct {
	User     string    `json:"user"`
	Name     string    `json:"name"`
	Mean     float64   `json:"mean"`
	Variance float64   `json:"var"`
	At       time.Time `json:"at"` // when one last ended
}

// kindsKept is for how long a kind is remembered of which no job ends.
const kindsKept = 30 * 24 * time.Hour

func compareKinds(a, b Kind) int {
	return cmp.Or(cmp.Compare(a.User, b.User), cmp.Compare(a.Name, b.Name))
}

// kindOf names the kind of a job: the class it declares, else its name.
func kindOf(j *policy.Job) string { return cmp.Or(j.Class, j.Name) }

// variance returns that of a member.
func (g *Group) variance(i int) float64 { return g.Covariance[i*(i+1)/2+i] }

// validate reports whether it is what remember made.
func (s *State) validate() bool {
	return !slices.ContainsFunc(s.Groups, func(g Group) bool { return len(g.Covariance) != len(g.Members)*(len(g.Members)+1)/2 })
}

// newGroup keeps a belief about members.
func newGroup(members []Member, b *kalman.Belief) Group {
	g := Group{Members: members}
	for i := range members {
		g.Members[i].Mean = b.Mean(i)
		for k := range i + 1 {
			g.Covariance = append(g.Covariance, b.Covariance(i, k))
		}
	}
	return g
}

// addToKinds counts a job of which something is known for its kind.
func addToKinds(kinds []Kind, m Member, e estimate, at time.Time) []Kind {
	if !e.isKnown() {
		return kinds
	}
	e.variance += kindSigma * kindSigma
	i, found := slices.BinarySearchFunc(kinds, Kind{User: m.User, Name: m.Name}, compareKinds)
	if !found {
		return slices.Insert(kinds, i, Kind{m.User, m.Name, e.mean, e.variance, at})
	}
	k := &kinds[i]
	b := kalman.New([]float64{k.Mean}, []float64{k.Variance})
	b.Observe([]float64{1}, e.mean, e.variance)
	k.Mean, k.Variance, k.At = b.Mean(0), b.Covariance(0, 0), at
	return kinds
}
