package rest

import (
	"cmp"
	"time"

	"fairbridge/bridge/slurm"
)

// PollConfig says how much is read how often.
type PollConfig struct {
	// FullEvery is the longest time without reading the whole job list
	// (duration). Default 5 min; below 0 every poll reads it.
	FullEvery time.Duration `yaml:"full_every"`
	// Few is how many jobs are read one by one at most; when more have
	// changed, the whole list is read (jobs). Default 100.
	Few int `yaml:"few"`
	// FewPercent bounds the same by the share of the listed jobs: one by one
	// costs slurmrestd about five times as much a job as the list (percent).
	// Default 20.
	FewPercent int `yaml:"few_percent"`
	// FullPause is how long after a whole list the next one may be read before it is due, for
	// each job in it (duration). Default 6 ms.
	FullPause time.Duration `yaml:"full_pause"`
	// Now is our clock. Default time.Now.
	Now func() time.Time `yaml:"-"`
}

func (p PollConfig) withDefaults() PollConfig {
	rule := slurm.DefaultFullReadRule()
	p.FullEvery = cmp.Or(p.FullEvery, rule.Every)
	p.FullPause = cmp.Or(p.FullPause, rule.PausePerJob)
	if p.Few == 0 {
		p.Few = 100
	}
	if p.FewPercent == 0 {
		p.FewPercent = 20
	}
	if p.Now == nil {
		p.Now = time.Now
	}
	return p
}

// fullReadRule is when the whole list is read.
func (p *PollConfig) fullReadRule() slurm.FullReadRule {
	return slurm.FullReadRule{Every: p.FullEvery, PausePerJob: p.FullPause}
}
