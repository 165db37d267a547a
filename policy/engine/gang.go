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
	partition                             string
	gpus                                  policy.GPUs
	minNodes, maxNodes, gpusPerNode, cpus int
	memMB                                 int64
	nodesAndFeatures                      string // of nodes and features
	windowsReachedCount                   int    // see pool.CountWindowsReached
}

func newGangKey(partition string, a *policy.Ask, windows int) gangKey {
	k := gangKey{partition, a.GPUs, a.MinNodes, a.MaxNodes, a.PerNode, a.CPUs, a.MemMB, "", windows}
	if len(a.RequiredNodes)+len(a.ExcludedNodes)+len(a.Features) > 0 {
		lists := []string{strings.Join(a.RequiredNodes, ","), strings.Join(a.ExcludedNodes, ","), strings.Join(a.Features, ",")}
		k.nodesAndFeatures = strings.Join(lists, ";")
	}
	return k
}

// isOf reports whether it is the key of an ask without lists, where there are no windows.
func (k *gangKey) isOf(partition string, a *policy.Ask) bool {
	return k.gpus == a.GPUs && k.cpus == a.CPUs && k.memMB == a.MemMB &&
		k.minNodes == a.MinNodes && k.maxNodes == a.MaxNodes && k.gpusPerNode == a.PerNode &&
		k.partition == partition && k.nodesAndFeatures == "" && k.windowsReachedCount == 0 &&
		len(a.RequiredNodes)+len(a.ExcludedNodes)+len(a.Features) == 0
}

// maxKeptGangs bounds of how many gangs the facts are kept.
const maxKeptGangs = 20_000

// gangFacts is what has been found out about asks of one key.
type gangFacts struct {
	key                gangKey
	isNeverFitsChecked bool  // whether it could start if no job ran
	neverFitsError     error // why not
	gangFactsOfRound
}

// gangFactsOfRound is what a round has found out about them.
type gangFactsOfRound struct {
	roundCount int // leftovers.roundCount of the round; another one's are of no use

	isWindowChecked bool              // whether it could start so before nodes are set aside
	windowError     *pool.WindowError // why not, but for the limit, which another job may have shorter

	noRoomError         error // why it has no room; of no use once devices were given back
	noRoomGiveBackCount int   // deviceFinder.giveBackCount when noRoomError was found
	hopelessTier        int   // stopping jobs of a tier larger than this one made no room
}

// cachedGangFacts is a gang, and what of an entry it was found for.
type cachedGangFacts struct {
	*gangFacts
	job               *policy.Job
	wantedDeviceCount int
	wantedAmounts     policy.Amounts
	gpuType           string
}

// gangFacts returns what is known of the entry's gang.
func (r *Round) gangFacts(e *Entry) *gangFacts {
	gpuType := ""
	if e.Grant.HasLease {
		gpuType = e.Grant.GPUType
	}
	if known := &e.cachedFacts; known.gangFacts != nil && known.job == e.Job && known.wantedDeviceCount == e.WantedDeviceCount && known.wantedAmounts == e.WantedAmounts && known.gpuType == gpuType {
		return known.gangFacts
	}
	empty := r.emptyPool()
	g := r.lastGang(e)
	if g == nil {
		a := e.GangAsk()
		g = r.gangOfKey(newGangKey(e.Partition, &a, empty.CountWindowsReached(a.Limit)))
	}
	if g.roundCount != r.roundCount {
		g.gangFactsOfRound = gangFactsOfRound{roundCount: r.roundCount, hopelessTier: math.MaxInt}
	}
	e.cachedFacts = cachedGangFacts{g, e.Job, e.WantedDeviceCount, e.WantedAmounts, gpuType}
	return g
}

func (r *Round) gangOfKey(key gangKey) *gangFacts {
	g := r.gangsByKey[key]
	if g == nil {
		if r.gangsByKey == nil {
			r.gangsByKey = map[gangKey]*gangFacts{}
		}
		g = &gangFacts{key: key}
		r.gangsByKey[key] = g
	}
	return g
}

// GangID is the same of entries of which all find a place, or none does.
func (r *Round) GangID(e *Entry) any { return r.gangFacts(e) }

// CheckEverFits says why the gang could not even start if no job ran; nil when it
// could.
func (r *Round) CheckEverFits(e *Entry) error {
	g := r.gangFacts(e)
	if g.isNeverFitsChecked {
		return g.neverFitsError
	}
	g.isNeverFitsChecked = true
	free := r.emptyPoolWithoutWindows()
	if a := e.GangAsk(); !free.Fits(e.Partition, a) {
		_, g.neverFitsError = pool.Fit(free, e.Partition, a)
	}
	return g.neverFitsError
}

// WindowError says why the gang could not start now even if no job ran, although it
// could at another time: its time limit reaches into windows in which nodes are
// set aside. nil where that keeps it from nothing.
func (r *Round) WindowError(e *Entry) error {
	free := r.emptyPool()
	if free.CountWindowsReached(0) == 0 {
		return nil
	}
	g := r.gangFacts(e)
	if a := e.GangAsk(); !g.isWindowChecked && !free.Fits(e.Partition, a) && r.CheckEverFits(e) == nil {
		g.windowError = free.ExplainWindows(e.Partition, a)
	}
	g.isWindowChecked = true
	if g.windowError == nil {
		return nil
	}
	why := *g.windowError
	why.Limit = e.Limit
	return &why
}

// emptyPool returns the pool as if no job ran now.
func (r *Round) emptyPool() *pool.Pool {
	if r.leftovers == nil {
		r.leftovers = &leftovers{}
	}
	if r.cachedEmptyPool == nil {
		r.cachedEmptyPool = pool.NewEmpty(r.Nodes, r.Now)
	}
	return r.cachedEmptyPool
}

// emptyPoolWithoutWindows returns the pool as if no job ran and no node were set aside.
func (r *Round) emptyPoolWithoutWindows() *pool.Pool {
	if now := r.emptyPool(); now.CountWindowsReached(0) == 0 {
		return now
	}
	if r.cachedPoolWithoutWindows == nil {
		r.cachedPoolWithoutWindows = pool.NewEmpty(r.Nodes, time.Time{})
	}
	return r.cachedPoolWithoutWindows
}
