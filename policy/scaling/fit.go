package scaling

import (
	"math"

	"fairbridge/policy"
	"fairbridge/policy/solve/descent"
)

// MeasuredStep is how long steps of a job took on one size, on GPUs of one type.
type MeasuredStep struct {
	Devices   int
	Nodes     int // 0: one
	PerDevice int // samples on a device in one go
	// GradientSeconds is the part of StepSeconds that does not wait for other devices, the time
	// of a pass that only accumulates; 0: not known, which on one device is all of it.
	GradientSeconds float64
	StepSeconds     float64 // of a step of one pass
}

// What the search of the parameters holds them to.
const (
	leastParameter  = 1e-8 // seconds; stands for nothing
	mostParameter   = 1e6  // seconds
	gammaWeight     = 1e-3 // penalty for a Gamma above 1
	slopeWeight     = 1e-2 // penalty for the network's slope relative to its start
	networkOverNode = 1.1  // an unseen network is thought slower than what joins a node's devices
)

// FitStepTime fits the parameters of the time of a step to measurements, as Pollux does: the
// root mean squared error of logarithms is the least it can be, with a little preference for
// a small Gamma and flat networks. What the measurements tell nothing of is taken for the
// best it can be: networks that were not seen cost nothing, and of one local batch size half the
// time does not depend on it. sigma is the root mean squared error of the logarithms of whole
// steps, about the relative error. ok is false where no measurement is positive. The type is
// left to the caller.
func FitStepTime(points []MeasuredStep) (fit policy.StepTime, sigma float64, ok bool) {
	var sound []MeasuredStep
	for _, p := range points {
		if p.Devices > 0 && p.PerDevice > 0 && isPositive(p.StepSeconds) {
			if p.Devices == 1 && !isPositive(p.GradientSeconds) {
				p.GradientSeconds = p.StepSeconds
			}
			sound = append(sound, p)
		}
	}
	if len(sound) == 0 {
		return policy.StepTime{}, 0, false
	}
	start, lower, upper := fitBounds(sound)
	x, _ := descent.Minimize(func(x, g []float64) float64 { return fitError(sound, x, g) }, start, lower, upper)
	fit = toStepTime(x)
	if !anyPoint(sound, isOverNodes) {
		fit.NetAlpha = max(fit.NetAlpha, networkOverNode*fit.LocalAlpha)
		fit.NetBeta = max(fit.NetBeta, networkOverNode*fit.LocalBeta)
	}
	return fit, stepError(sound, &fit), true
}

func isPositive(x float64) bool { return x > 0 && !math.IsInf(x, 1) }

// Places of the parameters among the variables of the search: logarithms but for gamma.
const (
	gradAlpha = iota
	gradBeta
	netAlpha
	netBeta
	localAlpha
	localBeta
	gamma
	variables
)

// fitBounds returns where the search starts and what it is held to.
func fitBounds(points []MeasuredStep) (start, lower, upper []float64) {
	least, most := math.Log(leastParameter), math.Log(mostParameter)
	for i := range gamma {
		start = append(start, math.Log([]float64{.1, .01}[i%2]))
		lower, upper = append(lower, least), append(upper, most)
	}
	start, lower, upper = append(start, 1.001), append(lower, 1), append(upper, 10)
	pin := func(i int, at float64) { start[i], lower[i], upper[i] = at, at, at }
	if mean, one := oneLocalBatch(points); one && mean > 0 {
		pin(gradAlpha, math.Log(max(mean/2, leastParameter)))
	}
	for i, seen := range map[int]func(MeasuredStep) bool{
		netAlpha:   isOverNodes,
		netBeta:    func(p MeasuredStep) bool { return isOverNodes(p) && p.Devices > 2 },
		localAlpha: isOnOneNode,
		localBeta:  func(p MeasuredStep) bool { return isOnOneNode(p) && p.Devices > 2 },
	} {
		if !anyPoint(points, seen) {
			pin(i, least)
		}
	}
	return start, lower, upper
}

func isOverNodes(p MeasuredStep) bool { return p.Devices > 1 && p.Nodes > 1 }
func isOnOneNode(p MeasuredStep) bool { return p.Devices > 1 && p.Nodes <= 1 }

func anyPoint(points []MeasuredStep, is func(MeasuredStep) bool) bool {
	for _, p := range points {
		if is(p) {
			return true
		}
	}
	return false
}

// oneLocalBatch returns the mean time of the gradient where all points are of one local batch.
func oneLocalBatch(points []MeasuredStep) (mean float64, one bool) {
	n := 0.
	for _, p := range points {
		if p.PerDevice != points[0].PerDevice {
			return 0, false
		}
		if isPositive(p.GradientSeconds) {
			mean, n = mean+p.GradientSeconds, n+1
		}
	}
	return mean / max(n, 1), true
}

func toStepTime(x []float64) policy.StepTime {
	at := func(i int) float64 { return math.Exp(x[i]) }
	return policy.StepTime{GradAlpha: at(gradAlpha), GradBeta: at(gradBeta), NetAlpha: at(netAlpha), NetBeta: at(netBeta),
		LocalAlpha: at(localAlpha), LocalBeta: at(localBeta), Gamma: x[gamma]}
}

// stepError is the root mean squared error of the logarithms of whole steps.
func stepError(points []MeasuredStep, fit *policy.StepTime) float64 {
	sum := 0.
	for _, p := range points {
		t := newStepper(fit, Size{Devices: p.Devices, Nodes: p.Nodes}).seconds(float64(p.PerDevice), 0)
		sum += math.Pow(math.Log(t/p.StepSeconds), 2)
	}
	return math.Sqrt(sum / float64(len(points)))
}

// fitError is what FitStepTime minimises, with its gradient: the errors of passes that only
// accumulate and of whole steps, and the penalties.
func fitError(points []MeasuredStep, x, gradient []float64) float64 {
	var passes, steps squaredErrors
	for _, p := range points {
		var g variablesOf
		pass := g.pass(x, float64(p.PerDevice))
		if isPositive(p.GradientSeconds) {
			passes.add(math.Log(pass/p.GradientSeconds), g.scaled(1/pass))
		}
		step, d := g.step(x, pass, p)
		steps.add(math.Log(step/p.StepSeconds), d.scaled(1/step))
	}
	for i := range gradient {
		gradient[i] = 0
	}
	value := passes.root(gradient) + steps.root(gradient)
	value += gammaWeight * (x[gamma] - 1) * (x[gamma] - 1)
	gradient[gamma] += 2 * gammaWeight * (x[gamma] - 1)
	for _, pair := range [][2]int{{netAlpha, netBeta}, {localAlpha, localBeta}} {
		penalty := slopeWeight * math.Exp(2*(x[pair[1]]-x[pair[0]]))
		value += penalty
		gradient[pair[1]] += 2 * penalty
		gradient[pair[0]] -= 2 * penalty
	}
	return value
}

// variablesOf are derivatives by the variables of the search.
type variablesOf [variables]float64

// pass returns the time of a pass that only accumulates, and keeps its derivatives.
func (v *variablesOf) pass(x []float64, perDevice float64) float64 {
	v[gradAlpha], v[gradBeta] = math.Exp(x[gradAlpha]), math.Exp(x[gradBeta])*perDevice
	return v[gradAlpha] + v[gradBeta]
}

// step returns the time of a step of one pass, and its derivatives.
func (v variablesOf) step(x []float64, pass float64, p MeasuredStep) (float64, variablesOf) {
	if p.Devices < 2 {
		return pass, v
	}
	alpha, beta := localAlpha, localBeta
	if isOverNodes(p) {
		alpha, beta = netAlpha, netBeta
	}
	a, b := math.Exp(x[alpha]), math.Exp(x[beta])*float64(p.Devices-2)
	network, power := a+b, x[gamma]
	logPass, logNetwork := math.Log(pass), math.Log(network)
	most := max(logPass, logNetwork)
	passPower, networkPower := math.Exp(power*(logPass-most)), math.Exp(power*(logNetwork-most))
	sum := passPower + networkPower
	step := math.Exp(most + math.Log(sum)/power)
	// The logarithm of the step is log(pass^power + network^power)/power.
	d := v.scaled(step * passPower / sum / pass)
	d[alpha] += step * networkPower / sum * a / network
	d[beta] += step * networkPower / sum * b / network
	inner := (passPower*(logPass-most) + networkPower*(logNetwork-most)) / sum
	d[gamma] = step * (inner/power - math.Log(sum)/(power*power))
	return step, d
}

func (v variablesOf) scaled(by float64) variablesOf {
	for i := range v {
		v[i] *= by
	}
	return v
}

// squaredErrors sums squares of errors, and half of the derivatives of the sum.
type squaredErrors struct {
	sum, n      float64
	derivatives variablesOf
}

func (s *squaredErrors) add(err float64, d variablesOf) {
	s.sum, s.n = s.sum+err*err, s.n+1
	for i := range d {
		s.derivatives[i] += err * d[i]
	}
}

// root returns the root of the mean, and adds its derivatives to the gradient.
func (s *squaredErrors) root(gradient []float64) float64 {
	if s.sum == 0 {
		return 0
	}
	root := math.Sqrt(s.sum / s.n)
	for i, d := range s.derivatives {
		gradient[i] += d / (s.n * root)
	}
	return root
}
