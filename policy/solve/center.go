package solve

import "math"

// Span is one variable (or Many alike) of a Center, from Low to 1.
type Span struct {
	Many float64
	Size float64 // what one takes of the capacity at x = 1
	Low  float64 // 0..1
	// Power is how strongly it is kept off Low, and Zero how strongly off 0,
	// beside the 1 with which all are kept off 1. Power is at least 1.
	Power, Zero float64
}

// Center returns the analytic centre of Low <= x <= 1, sum Many·Size·x <=
// capacity: the point that maximises
//
//	sum Many·(Power·log(x-Low) + Zero·log(x) + log(1-x)) + log(what is left).
//
// Interior-point solvers end there when many points are optimal, and schedulers
// whose published results came from such solvers depend on it. Newton's method
// with damped steps, which for these functions converges from anywhere and never
// leaves the inside; the Hessian is diagonal but for the capacity, so a step
// takes O(n). Where there is no inside, x is Low, reduced in proportion if even
// that is too much.
func Center(capacity float64, spans []Span) []float64 {
	x := make([]float64, len(spans))
	least, room := 0.0, 0.0
	for i, s := range spans {
		x[i] = min(max(s.Low, 0), 1)
		least += s.Many * s.Size * x[i]
		room += s.Many * s.Size * (1 - x[i])
	}
	if least >= capacity*(1-1e-9) {
		return scaled(x, min(1, capacity/least))
	}
	c := centering{spans: spans, x: x, left: capacity - least}
	step := 0.5
	if room > 0 {
		step = min(step, 0.5*c.left/room)
	}
	for i, s := range spans {
		by := step * (1 - x[i])
		x[i] += by
		c.left -= s.Many * s.Size * by
	}
	c.run()
	return x
}

func scaled(x []float64, by float64) []float64 {
	for i := range x {
		x[i] *= by
	}
	return x
}

type centering struct {
	spans []Span
	x     []float64
	left  float64
	slope []float64
	curve []float64
}

func (c *centering) run() {
	c.slope, c.curve = make([]float64, len(c.x)), make([]float64, len(c.x))
	for range 500 {
		decrement := c.newton()
		by := 1.0
		if decrement > 0.25 {
			by = 1 / (1 + decrement)
		}
		for i, s := range c.spans {
			c.x[i] += by * c.slope[i]
			c.left -= by * c.slope[i] * s.Many * s.Size
		}
		if decrement < 1e-7 {
			return
		}
	}
}

// newton puts the full step into slope and returns the Newton decrement.
func (c *centering) newton() float64 {
	gv, vv := 0.0, 0.0 // v'H⁻¹g and v'H⁻¹v of the diagonal, v = Many·Size
	for i, s := range c.spans {
		g, h := s.derivatives(c.x[i])
		v := s.Many * s.Size
		g -= v / c.left
		c.slope[i], c.curve[i] = g, h
		if h > 0 {
			gv += v * g / h
			vv += v * v / h
		}
	}
	along := gv / (c.left*c.left + vv)
	sum := 0.0
	for i, s := range c.spans {
		g, h := c.slope[i], c.curve[i]
		if h == 0 {
			c.slope[i] = 0
			continue
		}
		c.slope[i] = (g - along*s.Many*s.Size) / h
		sum += g * c.slope[i]
	}
	return math.Sqrt(max(sum, 0))
}

// derivatives are the first and minus the second of the span's own terms; zero
// where there is nothing to choose.
func (s Span) derivatives(x float64) (first, second float64) {
	low, up := x-s.Low, 1-x
	if s.Low >= 1-1e-12 || low <= 0 || up <= 0 || s.Many <= 0 {
		return 0, 0
	}
	first = s.Power/low - 1/up
	second = s.Power/(low*low) + 1/(up*up)
	if s.Zero > 0 {
		first += s.Zero / x
		second += s.Zero / (x * x)
	}
	return s.Many * first, s.Many * second
}
