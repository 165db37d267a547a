package policyset

import (
	"errors"

	"fairbridge/policy"
	"fairbridge/policy/paper"
)

// SlurmName is the name of Slurm by itself, without any policy of ours.
const SlurmName = "slurm"

// SlurmAlone is Slurm by itself. Its New returns no policy.
func SlurmAlone() PolicyChoice {
	return PolicyChoice{Label: SlurmName, Params: paper.Params{}, System: paper.System{
		Name: SlurmName, Title: "Slurm by itself: multifactor priorities and backfill",
		New: func(paper.Params) (policy.Policy, error) { return nil, nil },
	}}
}

func parseSlurm(text string, exact bool) (PolicyChoice, error) {
	switch {
	case exact:
		return PolicyChoice{}, errors.New("policy slurm: Slurm by itself is simulated with --fidelity slurm only; multifactor is the same order, carried out exactly")
	case text != SlurmName:
		return PolicyChoice{}, errors.New("policy slurm: it has no parameters")
	}
	return SlurmAlone(), nil
}
