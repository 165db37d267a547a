package goodput

import "slices"

// siaCalibration is what Sia's simulator sets by hand for the kinds of jobs of its workloads: what
// a start costs in seconds, and what goodputs are divided by so that they are those of its
// cluster.
var siaCalibration = map[string]struct{ restartSeconds, slowdown float64 }{
	"cifar10":     {50, 1.8},
	"ncf":         {15, 1.5},
	"deepspeech2": {25, 1.2},
	"yolov3":      {80, 1.2},
	"bert":        {120, 1.2},
	"imagenet":    {250, 1.2},
	"gpt_pmp":     {0, 1},
}

// CalibratedAsSia returns the application with what Sia's simulator sets by hand for it; what
// the profile sets itself stays, and so do applications that simulator does not have.
func (a *Application) CalibratedAsSia() *Application {
	c, known := siaCalibration[a.Name]
	if !known {
		return a
	}
	calibrated := *a
	if a.RestartSeconds == 0 {
		calibrated.RestartSeconds = c.restartSeconds
	}
	if a.Slowdown == 1 {
		calibrated.Slowdown = c.slowdown
	}
	calibrated.tables = slices.Clone(a.tables)
	for i, t := range calibrated.tables {
		there := *t
		if there.most > 0 {
			there.most = max(there.most, t.mostPlaced())
		}
		calibrated.tables[i] = &there
	}
	return &calibrated
}

// mostPlaced is the most samples a device took in one go on any placement: Sia's simulator has
// no other bound, while Pollux' sets one by hand for some kinds of jobs.
func (s *stepTimes) mostPlaced() int {
	most := 0.0
	for _, c := range s.placed {
		most = max(most, c[len(c)-1].perDevice)
	}
	return int(most)
}
