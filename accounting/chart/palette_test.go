package chart

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
)

// visions are how colours, in linear RGB, look to people without one kind of cones: Machado, Oliveira and Fernandes,
// "A physiologically-based model for simulation of color vision deficiency", TVCG 2009, severity 1.
var visions = map[string][3][3]float64{
	"all cones":    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritanopia":   {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

// leastDistance is how far apart two colours are at least in CIELAB (CIE 1976); about 2 can just be seen.
const leastDistance = 30

// TestPalette wants any two policies' colours to be told apart, by people who lack a kind of cones too.
func TestPalette(t *testing.T) {
	style, err := templateFiles.ReadFile("style.html")
	if err != nil {
		t.Fatal(err)
	}
	var themes [2][]string
	for _, m := range variable.FindAllStringSubmatch(string(style), -1) {
		if strings.HasPrefix(m[1], "c") {
			k := 0
			if len(themes[0]) == colourCount {
				k = 1
			}
			themes[k] = append(themes[k], m[2])
		}
	}
	for theme, colours := range themes {
		if len(colours) != colourCount {
			t.Fatalf("theme %d has %d colours", theme, len(colours))
		}
		for name, m := range visions {
			for i, a := range colours {
				for _, b := range colours[:i] {
					if d := labDistance(a, b, m); d < leastDistance {
						t.Errorf("theme %d, %s: %s and %s are %.1f apart, want %d", theme, name, a, b, d, leastDistance)
					}
				}
			}
		}
	}
}

func labDistance(a, b string, vision [3][3]float64) float64 {
	x, y := labOf(a, vision), labOf(b, vision)
	return math.Sqrt((x[0]-y[0])*(x[0]-y[0]) + (x[1]-y[1])*(x[1]-y[1]) + (x[2]-y[2])*(x[2]-y[2]))
}

// labOf is a colour in CIELAB, white D65.
func labOf(colour string, vision [3][3]float64) [3]float64 {
	var linear [3]float64
	for i := range linear {
		n, err := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8)
		if err != nil {
			panic(fmt.Sprintf("colour %s: %v", colour, err))
		}
		if linear[i] = float64(n) / 255; linear[i] <= 0.04045 {
			linear[i] /= 12.92
		} else {
			linear[i] = math.Pow((linear[i]+0.055)/1.055, 2.4)
		}
	}
	seen := multiply(vision, linear)
	for i := range seen {
		seen[i] = min(max(seen[i], 0), 1)
	}
	xyz := multiply([3][3]float64{{0.4124564, 0.3575761, 0.1804375}, {0.2126729, 0.7151522, 0.0721750}, {0.0193339, 0.1191920, 0.9503041}}, seen)
	for i, white := range []float64{0.95047, 1, 1.08883} {
		if xyz[i] /= white; xyz[i] > 0.008856 {
			xyz[i] = math.Cbrt(xyz[i])
		} else {
			xyz[i] = 7.787*xyz[i] + 16.0/116
		}
	}
	return [3]float64{116*xyz[1] - 16, 500 * (xyz[0] - xyz[1]), 200 * (xyz[1] - xyz[2])}
}

func multiply(m [3][3]float64, v [3]float64) (out [3]float64) {
	for i := range m {
		for k := range v {
			out[i] += m[i][k] * v[k]
		}
	}
	return out
}
