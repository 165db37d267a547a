// Package lucid serves the job first that is predicted to need the least GPU time, stops none,
// and lets a job that would wait share the GPUs of one that runs, where a simple score of both says
// that they hardly slow each other.
//
// Q. Hu, M. Zhang, P. Sun, Y. Wen, T. Zhang, "Lucid: A Non-intrusive, Scalable and
// Interpretable Scheduler for Deep Learning Training Jobs", ASPLOS 2023.
package lucid

import (
	"errors"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/interference"
	"fairbridge/policy/order"
	"fairbridge/policy/pack"
	"fairbridge/policy/paper"
	"fairbridge/policy/place"
	"fairbridge/policy/pool"
	"fairbridge/policy/predict"
	"fairbridge/policy/solve/assign"
)

// Values of Policy.Partner.
const (
	partnerMatched = "matched"
	partnerFirst   = "first"
)

// Policy is Lucid with its parameters.
type Policy struct {
	Score   int           `param:"score" default:"2" min:"0" max:"4" help:"largest sum of the sharing scores of two jobs that share GPUs: 0 for a job whose GPU computes less than 25 % of the time, 1 below 53 %, 2 above"`
	MaxGPUs int           `param:"max_gpus" default:"8" min:"1" help:"no job of more GPUs than these shares them"`
	Ride    float64       `param:"ride" default:"2" help:"a job joins one that has at least its own GPU time left divided by this"`
	Partner string        `param:"partner" choices:"matched,first" default:"matched" help:"whom waiting jobs join: by a matching, those together that slow each other least; or each the first that suits"`
	Profile time.Duration `param:"profile" default:"200s" help:"how long a job runs before what is measured of it counts as its profile"`
	Window  time.Duration `param:"window" default:"1h" help:"time of which arrivals are counted, for those expected in the next such time; 0s: jobs share at all times"`
	Busy    int           `param:"busy" default:"2" help:"jobs share while more arrivals than these are expected; else they start one by one, none passing another"`
	paper.MaxWaitParam
}

// Decide implements policy.Policy.
func (p *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	byLength := order.ByLength{KeysBefore: order.ByKeys{order.ActiveFirst}, UnknownLength: predict.MedianRunTime(s.History), UseGPUTime: true}
	pipeline := engine.Pipeline{
		Name:    "lucid",
		Predict: predict.Ladder{},
		Order:   byLength,
		Place:   place.Consolidated{},
		Rules:   p.Rules(),
	}
	if p.isBusy(s) {
		b := &binder{Policy: p, ByLength: byLength}
		pipeline.Order, pipeline.Pack, pipeline.Backfill = b, b, backfill.Greedy{}
	}
	return pipeline.Decide(s)
}

// isBusy reports whether so many arrivals are expected that jobs share: as many as there were in the last
// window, of those that are still there.
func (p *Policy) isBusy(s *policy.Snapshot) bool {
	if p.Window == 0 {
		return true
	}
	arrivals, since := 0, s.Now.Add(-p.Window)
	for i := range s.Jobs {
		if s.Jobs[i].Arrive.After(since) {
			arrivals += s.Jobs[i].TaskCount()
		}
	}
	return arrivals > p.Busy
}

// System describes Lucid in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "lucid", Title: "Lucid: least predicted GPU time first, two jobs on a GPU where it hardly hurts", Venue: "ASPLOS", Year: 2023,
		Cite:         `Q. Hu et al., "Lucid: A Non-intrusive, Scalable and Interpretable Scheduler for Deep Learning Training Jobs", ASPLOS 2023`,
		Idea:         "Serve the job with the least predicted GPU time, and let two share GPUs where a score of both says that they hardly slow each other.",
		OwnStages:    []string{"predict", "order", "pack", "backfill"},
		NeededInputs: []string{"how long a job will run, from history", "how much of the time its GPU computes, and the memory it uses there (to share)", "the memory of the GPUs (to share)"},
		Fallback:     "jobs of which neither was measured, and those on GPUs of unknown memory, never share; a job of unknown length counts as long as the median of finished jobs",
		Reproduced:   "its own cases of who joins whom; a month of Venus' kind: see docs/evaluation.md",
		Deviations: []string{
			"Jobs are profiled where they run, in their first minutes, and go on there; the paper runs them on nodes set apart first and starts them anew.",
			"A job that finds free GPUs runs alone; the paper packs it even then.",
			"Who joins whom is found by a matching for up to 64 waiting jobs at a time; the paper takes the first that suits. partner=first does.",
			"Arrivals of the next window are expected to be those of the last; the paper's model of them is trained on months.",
			"A pair that was measured to be slow is parted by what watches shared GPUs, not by the policy, which stops no job.",
		},
		MayStarve:       true,
		SimulatorParams: paper.Params{"max_wait": "0s"},
	})
}

// mostMatched is how many waiting jobs are matched at a time, and how many hosts are weighed for
// each: with as many, one is left for it whatever the others take.
const mostMatched = 64

var errNoPartner = errors.New("no running job that is alone on as many GPUs is slowed so little by this one")

// binder is an engine.Orderer and an engine.Packer of one round: it says who joins whom.
type binder struct {
	*Policy
	order.ByLength
	waiting []*engine.Entry                 // those of the line that may join and were not matched yet
	hosts   []*engine.Entry                 // those that are alone and were not joined yet
	hostOf  map[*engine.Entry]*engine.Entry // nil: of one that was matched and found none
}

// Order implements engine.Orderer.
func (b *binder) Order(r *engine.Round) ([]*engine.Entry, error) {
	line, err := b.ByLength.Order(r)
	for _, e := range line {
		if !e.HoldsGPUs() && b.mayShare(r, e) && r.MayRun(e) {
			b.waiting = append(b.waiting, e)
		}
	}
	return line, err
}

// Pack implements engine.Packer.
func (b *binder) Pack(r *engine.Round, e *engine.Entry) (engine.SharedPlace, error) {
	if b.hostOf == nil {
		b.hostOf = map[*engine.Entry]*engine.Entry{}
		for _, h := range pack.Singles(r) {
			if b.mayShare(r, h) && pack.KnowsMemory(r, h.On) {
				b.hosts = append(b.hosts, h)
			}
		}
	}
	if _, done := b.hostOf[e]; !done && len(b.hosts) > 0 && b.mayShare(r, e) {
		b.match(r, e)
	}
	if h := b.hostOf[e]; h != nil {
		return engine.SharedPlace{On: slices.Clone(h.On), Beside: h.ID}, nil
	}
	return engine.SharedPlace{}, errNoPartner
}

// mayShare reports whether the job is one that shares GPUs: of few of them on one node, and
// profiled.
func (b *binder) mayShare(r *engine.Round, e *engine.Entry) bool {
	if !e.Shareable || e.DeviceCount() > b.MaxGPUs || e.HoldsGPUs() && len(e.On.Nodes()) > 1 || e.Sharing.UsedMemMB() == 0 {
		return false
	}
	return b.isProfiled(r, e)
}

// isProfiled reports whether it is known how much of the time the job's GPUs compute: from its owner or
// its class, or by what was measured of it for long enough.
func (b *binder) isProfiled(r *engine.Round, e *engine.Entry) bool {
	if !interference.Utilisation(e.Job).Known {
		return false
	}
	isMeasured := !e.Sharing.Utilisation.Known || e.Sharing.Source == "measured"
	return !isMeasured || max(e.Ran(r.Now), e.TotalRunTime()) >= b.Profile
}

// match finds hosts for the job, whose turn it is, and for those after it that have no room of their own.
func (b *binder) match(r *engine.Round, e *engine.Entry) {
	rows := []*engine.Entry{e}
	rest := b.waiting[:0]
	for i, o := range b.waiting {
		if len(rows) == mostMatched {
			rest = append(rest, b.waiting[i:]...)
			break
		}
		if _, err := pool.Fit(r.FreePool, o.Partition, o.GangAsk()); o != e && len(o.PlannedAlloc) == 0 && err != nil {
			rows = append(rows, o)
		}
	}
	b.waiting = rest
	options := make([][]assign.Option, len(rows))
	for i, o := range rows {
		options[i] = b.listOptions(r, o)
	}
	var places []int
	if b.Partner == partnerFirst {
		places = assignFirst(options, len(b.hosts))
	} else {
		places = assign.AssignInOrder(options, len(b.hosts))
	}
	b.join(rows, places)
}

// join notes who joins whom.
func (b *binder) join(rows []*engine.Entry, places []int) {
	joined := make([]bool, len(b.hosts))
	for i, at := range places {
		b.hostOf[rows[i]] = nil
		if at >= 0 {
			b.hostOf[rows[i]], joined[at] = b.hosts[at], true
		}
	}
	left := b.hosts[:0:0]
	for i, h := range b.hosts {
		if !joined[i] {
			left = append(left, h)
		}
	}
	b.hosts = left
}

// listOptions returns the hosts that the job may join, those that it is slowed least by and slows
// least, and how much that is.
func (b *binder) listOptions(r *engine.Round, e *engine.Entry) []assign.Option {
	var out []assign.Option
	for i, h := range b.hosts {
		if b.suits(h, e) {
			out = append(out, assign.Option{Place: i, Cost: lossOf(h, e)})
		}
	}
	if b.Partner == partnerMatched {
		slices.SortStableFunc(out, func(x, y assign.Option) int {
			switch {
			case x.Cost < y.Cost:
				return -1
			case x.Cost > y.Cost:
				return 1
			}
			return 0
		})
	}
	n := 0
	for _, o := range out {
		if pack.JoinsSingle(r, b.hosts[o.Place], e) {
			out[n] = o
			n++
		}
		if n == mostMatched {
			break
		}
	}
	return out[:n]
}

// suits reports whether the two are of one size, score little together, and the job does not outlive its
// host by much.
func (b *binder) suits(h, e *engine.Entry) bool {
	if h.On.Count() != e.WantedDeviceCount {
		return false
	}
	x, _ := interference.ClassOf(h.Job)
	y, _ := interference.ClassOf(e.Job)
	return int(x+y) <= b.Score && b.LengthLeft(e) <= b.Ride*b.LengthLeft(h)
}

// lossOf is how much of a GPU the two lose on each by slowing each other.
func lossOf(h, e *engine.Entry) float64 {
	speeds := interference.Speeds([]*policy.Job{h.Job, e.Job})
	return float64(e.WantedDeviceCount) * (2 - speeds[0] - speeds[1])
}

// assignFirst gives each job the first place that suits it and is left.
func assignFirst(options [][]assign.Option, placeCount int) []int {
	taken, places := make([]bool, placeCount), make([]int, len(options))
	for i := range options {
		places[i] = -1
		for _, o := range options[i] {
			if !taken[o.Place] {
				taken[o.Place], places[i] = true, o.Place
				break
			}
		}
	}
	return places
}
