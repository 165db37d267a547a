package learn

import "math"

// key names a group of a level: numbers of texts, then plain numbers.
type key [4]int32

// kind is a way to group jobs.
type kind struct {
	name  string
	of    func(*tag) key
	texts int     // so many of the key's first numbers are texts,
	need  int     // so many of which must be given
	keep  float64 // what earlier runs of a group still count after one more
	limit bool    // only jobs with a time limit are of this kind
	ratio bool    // run times are taken as parts of limits
	start fitted  // before there is enough history to fit
}

// fitted are the numbers of a level that are fitted.
type fitted struct {
	Weight float64 `json:"weight"` // of the levels before, in runs
	Most   float64 `json:"most"`   // of the distribution that the level takes
	Width  float64 `json:"width"`  // of the kernel around a single run, in bins
}

// levels is how many kinds there are.
const levels = 18

// kinds are the levels, the most general first.
var kinds = [levels]kind{
	{"all", func(t *tag) key { return key{} }, 0, 0, 1, false, false, fitted{4, 1, 6}},
	{"size", func(t *tag) key { return key{t.gpus} }, 0, 0, 1, false, false, fitted{16, .8, 6}},
	{"size, lately", func(t *tag) key { return key{t.gpus} }, 0, 0, .8, false, false, fitted{4, .2, 6}},
	{"limit", func(t *tag) key { return key{t.limit} }, 0, 0, 1, true, false, fitted{16, .5, 6}},
	{"limit used", func(t *tag) key { return key{} }, 0, 0, 1, true, true, fitted{16, .25, 6}},
	{"account", func(t *tag) key { return key{t.account} }, 1, 1, .999, false, false, fitted{16, .5, 6}},
	{"account, size", func(t *tag) key { return key{t.account, t.gpus} }, 1, 1, .999, false, false, fitted{16, .5, 6}},
	{"account, size, lately", func(t *tag) key { return key{t.account, t.gpus} }, 1, 1, .8, false, false, fitted{4, .2, 6}},
	{"user", func(t *tag) key { return key{t.user} }, 1, 1, .99, false, false, fitted{8, .6, 6}},
	{"user, size", func(t *tag) key { return key{t.user, t.gpus} }, 1, 1, .99, false, false, fitted{8, .6, 6}},
	{"user, limit used", func(t *tag) key { return key{t.user} }, 1, 1, .99, true, true, fitted{8, .25, 6}},
	{"user, limit", func(t *tag) key { return key{t.user, t.limit} }, 1, 1, .99, true, false, fitted{8, .4, 6}},
	{"user, lately", func(t *tag) key { return key{t.user} }, 1, 1, .7, false, false, fitted{4, .2, 6}},
	{"user, size, lately", func(t *tag) key { return key{t.user, t.gpus} }, 1, 1, .7, false, false, fitted{4, .2, 6}},
	{"name without numbers", func(t *tag) key { return key{t.stem, t.user} }, 2, 1, .98, false, false, fitted{4, .6, 6}},
	{"name", func(t *tag) key { return key{t.name, t.user} }, 2, 1, .98, false, false, fitted{2, .9, 6}},
	{"name, size", func(t *tag) key { return key{t.name, t.user, t.gpus} }, 2, 1, .95, false, false, fitted{2, .9, 6}},
	{"name, size, type", func(t *tag) key { return key{t.typ, t.name, t.user, t.gpus} }, 3, 2, .95, false, false, fitted{4, .8, 6}},
}

// group returns the key of a job's group; ok is false if it has none.
func (k *kind) group(t *tag) (at key, ok bool) {
	at = k.of(t)
	for _, n := range at[:k.need] {
		if n <= 0 {
			return at, false
		}
	}
	return at, t.limit > 0 || !k.limit
}

// at returns the bin in which the level counts a run.
func (k *kind) at(seconds, limit float64) int {
	if k.ratio {
		return ratioBin(seconds, limit)
	}
	return binOf(seconds)
}

// share is the part of the distribution that a level takes which knows n runs.
func (f *fitted) share(n float64) float64 { return f.Most * n / (n + f.Weight) }

// sigma is the standard deviation, in bins, of the kernel around each of n runs.
func sigma(width, n float64) float64 { return width * math.Pow(max(n, 1), -.2) }
