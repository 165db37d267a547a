package learn

import "math"

// kind is a way to group jobs.
type kind struct {
	name  string
	of    func(*Job) (key, bool) // the job's group, if it has one of this kind
	ratio bool                   // run times are taken as parts of limits
	keep  float64                // what earlier runs of a group still count after one more
	start fitted                 // before there is enough history to fit
}

// fitted are the numbers of a level that are fitted.
type fitted struct {
	Weight float64 `json:"weight"` // of the levels before, in runs
	Most   float64 `json:"most"`   // of the distribution that the level takes
	Width  float64 `json:"width"`  // of the kernel around a single run, in bins
}

// levels is how many kinds there are.
const levels = 17

// kinds are the levels, the most general first.
var kinds = [levels]kind{
	{"all", func(*Job) (key, bool) { return key{}, true }, false, 1, fitted{4, 1, 6}},
	{"size", func(j *Job) (key, bool) { return key{GPUs: j.GPUs}, true }, false, 1, fitted{16, .8, 6}},
	{"limit", func(j *Job) (key, bool) { return key{Limit: limitOf(j)}, j.Limit > 0 }, false, 1, fitted{16, .5, 6}},
	{"limit used", func(j *Job) (key, bool) { return key{}, j.Limit > 0 }, true, 1, fitted{16, .25, 6}},
	{"account", func(j *Job) (key, bool) { return key{Account: j.Account}, j.Account != "" }, false, .999, fitted{16, .5, 6}},
	{"account, size", func(j *Job) (key, bool) { return key{Account: j.Account, GPUs: j.GPUs}, j.Account != "" }, false, .999, fitted{16, .5, 6}},
	{"account, size, lately", func(j *Job) (key, bool) { return key{Account: j.Account, GPUs: j.GPUs}, j.Account != "" }, false, .8, fitted{4, .2, 6}},
	{"user", func(j *Job) (key, bool) { return key{User: j.User}, j.User != "" }, false, .99, fitted{8, .6, 6}},
	{"user, size", func(j *Job) (key, bool) { return key{User: j.User, GPUs: j.GPUs}, j.User != "" }, false, .99, fitted{8, .6, 6}},
	{"user, limit used", func(j *Job) (key, bool) { return key{User: j.User}, j.User != "" && j.Limit > 0 }, true, .99, fitted{8, .25, 6}},
	{"user, limit", func(j *Job) (key, bool) { return key{User: j.User, Limit: limitOf(j)}, j.User != "" && j.Limit > 0 }, false, .99, fitted{8, .4, 6}},
	{"user, lately", func(j *Job) (key, bool) { return key{User: j.User}, j.User != "" }, false, .7, fitted{4, .2, 6}},
	{"user, size, lately", func(j *Job) (key, bool) { return key{User: j.User, GPUs: j.GPUs}, j.User != "" }, false, .7, fitted{4, .2, 6}},
	{"name without numbers", func(j *Job) (key, bool) { return key{User: j.User, Name: stem(j.Name)}, j.Name != "" }, false, .98, fitted{4, .6, 6}},
	{"name", func(j *Job) (key, bool) { return key{User: j.User, Name: j.Name}, j.Name != "" }, false, .98, fitted{2, .9, 6}},
	{"name, size", func(j *Job) (key, bool) {
		return key{User: j.User, Name: j.Name, GPUs: j.GPUs}, j.Name != ""
	}, false, .95, fitted{2, .9, 6}},
	{"name, size, type", func(j *Job) (key, bool) {
		return key{User: j.User, Name: j.Name, Type: j.Type, GPUs: j.GPUs}, j.Name != "" && j.Type != ""
	}, false, .95, fitted{4, .8, 6}},
}

func limitOf(j *Job) int { return int(j.Limit.Seconds()) }

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
