package evaluation

import (
	_ "embed"
)

//go:embed slurm_days.md
var daysHead string

// daysTitle is the heading of the section that compares policies with Slurm alone on days that are drawn.
const daysTitle = "## Against Slurm alone, on generated days\n"
