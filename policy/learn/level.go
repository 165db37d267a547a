package learn

import (
	"math"
	"math/bits"
)

// groupKey names a group of a level: numbers of texts, then plain numbers.
type groupKey [4]int32

// jobGrouping is a way to group jobs.
type jobGrouping struct {
	name              string
	keyOf             func(*jobNumbers) groupKey
	keyTextCount      int             // so many of the key's first numbers are texts,
	requiredTextCount int             // so many of which must be given
	decayPerRun       float64         // what earlier runs of a group still count after one more
	needsLimit        bool            // only jobs with a time limit are grouped so
	usesLimitRatio    bool            // run times are taken as parts of limits
	startParameters   levelParameters // before there is enough history to fit
}

// levelParameters are the numbers of a level that are fitted to the history.
type levelParameters struct {
	PriorWeight float64 `json:"weight"` // of the levels before, in runs
	MaxShare    float64 `json:"most"`   // of the distribution that the level takes
	KernelWidth float64 `json:"width"`  // of the kernel around a single run, in bins
}

// levelCount is how many groupings there are; nameLevel is the first by whole names.
const levelCount, nameLevel = 18, 15

// groupings are those of the levels, the most general first.
var groupings = [levelCount]jobGrouping{
	{"all", func(t *jobNumbers) groupKey { return groupKey{} }, 0, 0, 1, false, false, levelParameters{4, 1, 6}},
	{"size", func(t *jobNumbers) groupKey { return groupKey{t.gpus} }, 0, 0, 1, false, false, levelParameters{16, .8, 6}},
	{"size, lately", func(t *jobNumbers) groupKey { return groupKey{t.gpus} }, 0, 0, .8, false, false, levelParameters{4, .2, 6}},
	{"limit", func(t *jobNumbers) groupKey { return groupKey{t.limitSeconds} }, 0, 0, 1, true, false, levelParameters{16, .5, 6}},
	{"limit used", func(t *jobNumbers) groupKey { return groupKey{limitOctave(t.limitSeconds)} }, 0, 0, 1, true, true, levelParameters{8, .6, 6}},
	{"account", func(t *jobNumbers) groupKey { return groupKey{t.account} }, 1, 1, .999, false, false, levelParameters{16, .5, 6}},
	{"account, size", func(t *jobNumbers) groupKey { return groupKey{t.account, t.gpus} }, 1, 1, .999, false, false, levelParameters{16, .5, 6}},
	{"account, size, lately", func(t *jobNumbers) groupKey { return groupKey{t.account, t.gpus} }, 1, 1, .8, false, false, levelParameters{4, .2, 6}},
	{"user", func(t *jobNumbers) groupKey { return groupKey{t.user} }, 1, 1, .99, false, false, levelParameters{8, .6, 6}},
	{"user, size", func(t *jobNumbers) groupKey { return groupKey{t.user, t.gpus} }, 1, 1, .99, false, false, levelParameters{8, .6, 6}},
	{"user, limit used", func(t *jobNumbers) groupKey { return groupKey{t.user, limitOctave(t.limitSeconds)} }, 1, 1, .99, true, true, levelParameters{8, .25, 6}},
	{"user, limit", func(t *jobNumbers) groupKey { return groupKey{t.user, t.limitSeconds} }, 1, 1, .99, true, false, levelParameters{8, .4, 6}},
	{"user, lately", func(t *jobNumbers) groupKey { return groupKey{t.user} }, 1, 1, .7, false, false, levelParameters{4, .2, 6}},
	{"user, size, lately", func(t *jobNumbers) groupKey { return groupKey{t.user, t.gpus} }, 1, 1, .7, false, false, levelParameters{4, .2, 6}},
	{"name without numbers", func(t *jobNumbers) groupKey { return groupKey{t.nameStem, t.user} }, 2, 1, .98, false, false, levelParameters{4, .6, 6}},
	{"name", func(t *jobNumbers) groupKey { return groupKey{t.name, t.user} }, 2, 1, .98, false, false, levelParameters{2, .9, 6}},
	{"name, size", func(t *jobNumbers) groupKey { return groupKey{t.name, t.user, t.gpus} }, 2, 1, .95, false, false, levelParameters{2, .9, 6}},
	{"name, size, type", func(t *jobNumbers) groupKey { return groupKey{t.gpuType, t.name, t.user, t.gpus} }, 3, 2, .95, false, false, levelParameters{4, .8, 6}},
}

// keyOfJob returns the key of a job's group; ok is false if it has none.
func (k *jobGrouping) keyOfJob(t *jobNumbers) (at groupKey, ok bool) {
	at = k.keyOf(t)
	for _, n := range at[:k.requiredTextCount] {
		if n <= 0 {
			return at, false
		}
	}
	return at, t.limitSeconds > 0 || !k.needsLimit
}

// shareForRuns is the part of the distribution that a level takes which knows n runs.
func (f *levelParameters) shareForRuns(n float64) float64 {
	return f.MaxShare * n / (n + f.PriorWeight)
}

// kernelSigma is the standard deviation, in bins, of the kernel around each of n runs.
func kernelSigma(width, n float64) float64 { return width * math.Pow(max(n, 1), -.2) }

// limitOctave groups time limits, each group's twice as long as those of the one before.
func limitOctave(seconds int32) int32 { return int32(bits.Len32(uint32(max(seconds, 0)))) }
