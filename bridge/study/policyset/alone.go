package policyset

import (
	"errors"

	"fairbridge/policy"
	"fairbridge/policy/paper"
)

// Slurm is the name of Slurm by itself, without any policy of ours.
const Slurm = "slurm"

// Alone is Slurm by itself. Its New returns no policy.
func Alone() Pick {
	return Pick{Label: Slurm, Params: paper.Params{}, Entry: paper.System{
		Name: Slurm, Title: "Slurm by itself: multifactor priorities and backfill",
		New: func(paper.Params) (policy.Policy, error) { return nil, nil },
	}}
}

func alone(text string, exact bool) (Pick, error) {
	switch {
	case exact:
		return Pick{}, errors.New("policy slurm: Slurm by itself is simulated with --fidelity slurm only; multifactor is the same order, carried out exactly")
	case text != Slurm:
		return Pick{}, errors.New("policy slurm: it has no parameters")
	}
	return Alone(), nil
}
