package engine

import (
	"math"
	"strings"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/pool"
)

// gangKey identifies all asks that find room or find none together.
type gangKey struct {
	partition               string
	gpus                    policy.GPUs
	nodes, most, each, cpus int
	mem                     int64
	names                   string // of nodes and features
	windows                 int    // see pool.WindowsReached
}

func newGangKey(partition string, a *policy.Ask, windows int) gangKey {
	k := gangKey{partition, a.GPUs, a.MinNodes, a.MaxNodes, a.PerNode, a.CPUs, a.MemMB, "", windows}
	if len(a.RequiredNodes)+len(a.ExcludedNodes)+len(a.Features) > 0 {
		lists := []string{strings.Join(a.RequiredNodes, ","), strings.Join(a.ExcludedNodes, ","), strings.Join(a.Features, ",")}
		k.names = strings.Join(lists, ";")
	}
	return k
}

// gangFacts is what a round has found out about asks of one key.
type gangFacts struct {
	triedEver bool  // whether it could start if no job ran
	never     error // why not

	triedNow bool              // whether it could start so before nodes are set aside
	window   *pool.WindowError // why not, but for the limit, which another job may have shorter

	full         error // why it has no room; of no use once devices were given back
	fullAt       int   // finder.generation when full was found
	hopelessTier int   // stopping jobs of a tier larger than this one made no room
}

// knownGang is a gang, and what of an entry it was found for.
type knownGang struct {
	*gangFacts
	job     *policy.Job
	want    int
	gpuType string
}

// gangFacts returns what is known of the entry's gang.
func (r *Round) gangFacts(e *Entry) *gangFacts {
	gpuType := ""
	if e.Grant.Run {
		gpuType = e.Grant.Type
	}
	if known := &e.known; known.gangFacts != nil && known.job == e.Job && known.want == e.Want && known.gpuType == gpuType {
		return known.gangFacts
	}
	a := e.Gang()
	key := newGangKey(e.Partition, &a, r.emptyNow().WindowsReached(a.Limit))
	g := r.gangs[key]
	if g == nil {
		if r.gangs == nil {
			r.gangs = map[gangKey]*gangFacts{}
		}
		g = &gangFacts{hopelessTier: math.MaxInt}
		r.gangs[key] = g
	}
	e.known = knownGang{g, e.Job, e.Want, gpuType}
	return g
}

// Possible says why the gang could not even start if no job ran; nil when it
// could.
func (r *Round) Possible(e *Entry) error {
	g := r.gangFacts(e)
	if g.triedEver {
		return g.never
	}
	g.triedEver = true
	free := r.emptyEver()
	if a := e.Gang(); !free.Fits(e.Partition, a) {
		_, g.never = pool.Fit(free, e.Partition, a)
	}
	return g.never
}

// WindowError says why the gang could not start now even if no job ran, although it
// could at another time: its time limit reaches into windows in which nodes are
// set aside. nil where that keeps it from nothing.
func (r *Round) WindowError(e *Entry) error {
	free := r.emptyNow()
	if free.WindowsReached(0) == 0 {
		return nil
	}
	g := r.gangFacts(e)
	if a := e.Gang(); !g.triedNow && !free.Fits(e.Partition, a) && r.Possible(e) == nil {
		g.window = free.ExplainWindows(e.Partition, a)
	}
	g.triedNow = true
	if g.window == nil {
		return nil
	}
	why := *g.window
	why.Limit = e.Limit
	return &why
}

// emptyNow returns the pool as if no job ran now.
func (r *Round) emptyNow() *pool.Pool {
	if r.poolNow == nil {
		r.poolNow = pool.Empty(r.Nodes, r.Now)
	}
	return r.poolNow
}

// emptyEver returns the pool as if no job ran and no node were set aside.
func (r *Round) emptyEver() *pool.Pool {
	if now := r.emptyNow(); now.WindowsReached(0) == 0 {
		return now
	}
	if r.poolEver == nil {
		r.poolEver = pool.Empty(r.Nodes, time.Time{})
	}
	return r.poolEver
}
