package belief

import (
	"cmp"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/solve/kalman"
)

// update is one decision's.
type update struct {
	Model
	snapshot *policy.Snapshot
	passed   time.Duration
	was      State
	wasAt    map[policy.JobID][2]int // group and place of a job in was
	kinds    []Kind                  // those of jobs that ended
	groups   []group
	groupOf  map[policy.JobID][2]int
	byKind   []Kind             // with those that are here
	spanned  map[[2]string]bool // nodes and GPU types of jobs on several places
}

// group is a Group under way. Its belief is about its jobs.
type group struct {
	jobs   []*policy.Job
	node   string // all of them are on; "": a single job
	belief *kalman.Belief
}

func newUpdate(m Model, was State, s *policy.Snapshot) *update {
	if !was.validate() {
		was = State{}
	}
	u := &update{Model: m, snapshot: s, was: was, wasAt: map[policy.JobID][2]int{}, groupOf: map[policy.JobID][2]int{}, spanned: map[[2]string]bool{}}
	if !was.At.IsZero() {
		u.passed = s.Now.Sub(was.At)
	}
	for g := range was.Groups {
		for i, m := range was.Groups[g].Members {
			u.wasAt[m.ID] = [2]int{g, i}
		}
	}
	u.forgetEnded()
	u.byKind = u.kinds
	u.formGroups()
	return u
}

// forgetEnded counts jobs that are gone for their kinds.
func (u *update) forgetEnded() {
	u.kinds = slices.DeleteFunc(slices.Clone(u.was.Kinds), func(k Kind) bool { return u.snapshot.Now.Sub(k.At) > kindsKept })
	for g := range u.was.Groups {
		for i, m := range u.was.Groups[g].Members {
			if u.snapshot.Job(m.ID) == nil {
				u.kinds = addToKinds(u.kinds, m, estimate{m.Mean, u.was.Groups[g].variance(i)}, u.snapshot.Now)
			}
		}
	}
}

// formGroups puts jobs on one node into a group, and those on several and those that wait, where something is known of
// them, into one each.
func (u *update) formGroups() {
	byNode := map[string]int{}
	for i := range u.snapshot.Jobs {
		j := &u.snapshot.Jobs[i]
		_, known := u.wasAt[j.ID]
		if len(j.On) == 0 && !known {
			continue
		}
		if len(j.On) > 1 {
			for _, slot := range j.On {
				u.spanned[[2]string{slot.Node, slot.Type}] = true
			}
		}
		at, found := 0, false
		if len(j.On) == 1 {
			at, found = byNode[j.On[0].Node]
		}
		if !found {
			at = len(u.groups)
			u.groups = append(u.groups, group{})
			if len(j.On) == 1 {
				byNode[j.On[0].Node], u.groups[at].node = at, j.On[0].Node
			}
		}
		u.groupOf[j.ID] = [2]int{at, len(u.groups[at].jobs)}
		u.groups[at].jobs = append(u.groups[at].jobs, j)
	}
	for i := range u.groups {
		u.begin(&u.groups[i])
	}
}

// begin makes the belief of a group of what was thought of its jobs.
func (u *update) begin(g *group) {
	mean, variance := make([]float64, len(g.jobs)), make([]float64, len(g.jobs))
	for i, j := range g.jobs {
		e := u.before(j)
		mean[i], variance[i] = e.mean, e.variance
	}
	g.belief = kalman.New(mean, variance)
	for i, a := range g.jobs {
		for k, b := range g.jobs[:i] {
			x, knownX := u.wasAt[a.ID]
			y, knownY := u.wasAt[b.ID]
			if knownX && knownY && x[0] == y[0] {
				high, low := max(x[1], y[1]), min(x[1], y[1])
				g.belief.SetCovariance(i, k, u.was.Groups[x[0]].Covariance[high*(high+1)/2+low])
			}
		}
	}
	for i := range g.jobs {
		room := max(unknownSigma*unknownSigma-g.belief.Covariance(i, i), 0)
		g.belief.Wander(i, min(u.driftVariance(u.passed), room))
	}
}

// before is what is thought of a job before this snapshot's readings: as remembered, by its profile, by
// its kind, or nothing.
func (u *update) before(j *policy.Job) estimate {
	if at, known := u.wasAt[j.ID]; known {
		g := &u.was.Groups[at[0]]
		return estimate{g.Members[at[1]].Mean, g.variance(at[1])}
	}
	if j.Sharing != nil && j.Sharing.Utilisation.Known {
		sigma := profileSigma(j.Sharing.Source)
		return estimate{j.Sharing.Utilisation.Value, sigma * sigma}
	}
	k, found := slices.BinarySearchFunc(u.byKind, Kind{User: j.User, Name: kindOf(j)}, compareKinds)
	if found && kindOf(j) != "" {
		return estimate{u.byKind[k].Mean, min(u.byKind[k].Variance+kindSigma*kindSigma, unknownSigma*unknownSigma)}
	}
	return estimate{unknownMean, unknownSigma * unknownSigma}
}

// estimateOf is what is thought of a job with all that was read.
func (u *update) estimateOf(j *policy.Job) estimate {
	if at, ok := u.groupOf[j.ID]; ok {
		b := u.groups[at[0]].belief
		return estimate{b.Mean(at[1]), b.Covariance(at[1], at[1])}
	}
	return u.before(j)
}

// remember returns the next State, and lets jobs that are here count for those of their kind that
// wait.
func (u *update) remember() State {
	next := State{At: u.snapshot.Now, Kinds: u.kinds}
	u.byKind = slices.Clone(u.kinds)
	for i := range u.groups {
		g := &u.groups[i]
		members := make([]Member, len(g.jobs))
		for k, j := range g.jobs {
			members[k] = Member{ID: j.ID, User: j.User, Name: kindOf(j)}
		}
		kept := newGroup(members, g.belief)
		next.Groups = append(next.Groups, kept)
		for k, m := range kept.Members {
			u.byKind = addToKinds(u.byKind, m, estimate{m.Mean, kept.variance(k)}, u.snapshot.Now)
		}
	}
	slices.SortFunc(next.Groups, func(a, b Group) int { return cmp.Compare(a.Members[0].ID, b.Members[0].ID) })
	return next
}

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

// observe takes in the readings of a group: those of its jobs and, where a job has none, that of
// its node.
func (u *update) observe(g *group) {
	for i, j := range g.jobs {
		if j.HoldsGPUs() && j.Utilisation.Known {
			u.read(g, u.weightsOf(g, i), j.Utilisation.Value, 1)
		}
	}
	if node := u.snapshot.Node(g.node); g.node != "" && node != nil {
		for _, d := range node.GPUs {
			u.readNode(g, d)
		}
	}
	g.belief.Clamp(0, 1)
}

// read takes in a reading of a sum of what jobs use, spread over so many GPUs. Where they may want more than a GPU
// has, a full GPU says no more than that.
func (u *update) read(g *group, weights []float64, reading, gpus float64) {
	expected, jobs := 0.0, 0
	for i, w := range weights {
		if expected += w * g.belief.Mean(i); w > 0 {
			jobs++
		}
	}
	if jobs > 1 && reading >= saturated*gpus && expected >= saturated*gpus {
		return
	}
	g.belief.Observe(weights, reading, u.readingVariance(expected/gpus)*gpus)
}

// weightsOf returns how much each job adds to what the GPUs of one of them read: neighbours do by the part of these
// that they share.
func (u *update) weightsOf(g *group, at int) []float64 {
	weights := make([]float64, len(g.jobs))
	weights[at] = 1
	if g.node == "" {
		return weights
	}
	own := g.jobs[at].On[0]
	for i, j := range g.jobs {
		if on := j.On[0]; i != at && on.Type == own.Type && own.Devices != 0 {
			weights[i] = float64((own.Devices & on.Devices).Count()) / float64(own.Count)
		}
	}
	return weights
}

// readNode takes in the mean over all GPUs of a type on the node, where that tells of a job without a reading of its
// own: where all have one, it is made of the same. Jobs on several nodes that have some of these GPUs keep it
// from being told apart.
func (u *update) readNode(g *group, d policy.NodeDevices) {
	weights, missing := make([]float64, len(g.jobs)), false
	for i, j := range g.jobs {
		if on := j.On[0]; on.Type == d.Type {
			weights[i] = float64(on.Count)
			missing = missing || !j.Utilisation.Known
		}
	}
	if !d.Utilisation.Known || !missing || u.spanned[[2]string{g.node, d.Type}] {
		return
	}
	u.read(g, weights, d.Utilisation.Value*float64(d.Count), float64(d.Count))
}
