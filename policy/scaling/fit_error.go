package scaling

import "math"

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
