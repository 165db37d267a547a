package policyset

import (
	"errors"

	"fairbridge/policy"
	"fairbridge/policy/paper"
)

// Slurm is the name of Slurm by itself, without any policy of ours.
const Slurm = "slurm"

// SlurmAlone is Slurm by itself. Its New returns no policy.
func SlurmAlone() Choice {
	return Choice{Label: Slurm, Params: paper.Params{}, System: paper.System{
		Name: Slurm, Title: "Slurm by itself: multifactor priorities and backfill",
		New: func(paper.Params) (policy.Policy, error) { return nil, nil },
	}}
}

func parseSlurm(text string, exact bool) (Choice, error) {
	switch {
	case exact:
		return Choice{}, errors.New("policy slurm: Slurm by itself is simulated with --fidelity slurm only; multifactor is the same order, carried out exactly")
	case text != Slurm:
		return Choice{}, errors.New("policy slurm: it has no parameters")
	}
	return SlurmAlone(), nil
}
