package sim

// changeNodes replaces the node lists of a pending job.
func (w *World) changeNodes(_ string, j *job, u Update) error {
	for _, list := range []*[]string{u.Required, u.Excluded} {
		if list == nil {
			continue
		}
		if j.state != pending {
			return problem(BadNode, "Invalid node name specified")
		}
		for _, name := range *list {
			if w.byName[name] == nil {
				return problem(BadNode, "Invalid node name specified")
			}
		}
	}
	set(&j.spec.Required, u.Required)
	set(&j.spec.Excluded, u.Excluded)
	return nil
}

// changeGPUs gives a pending job another number of GPUs, counted the way the
// job asked for them. More than any node has is accepted and never runs.
func (w *World) changeGPUs(_ string, j *job, u Update) error {
	if u.GPUs == nil && u.GPUType == nil {
		return nil
	}
	if j.state != pending {
		return problem(NotPending, "Job is no longer pending execution")
	}
	if u.GPUs != nil {
		switch {
		case *u.GPUs < 0:
			return problem(BadGres, "Invalid generic resource (gres) specification")
		case j.spec.GPUs > 0:
			j.spec.GPUs = *u.GPUs
		default:
			j.spec.GPUsPerNode = *u.GPUs
		}
	}
	set(&j.spec.GPUType, u.GPUType)
	return nil
}
