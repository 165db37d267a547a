package paper

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"fairbridge/policy"
)

// readValue converts a configured value, or says what would have been allowed.
func (p Param) readValue(v any) (any, error) {
	switch p.Kind {
	case KindChoice:
		if s, ok := v.(string); ok && slices.Contains(p.Choices, s) {
			return s, nil
		}
		return nil, p.impossibleError(v, "want one of "+strings.Join(p.Choices, ", "))
	case KindBool:
		if b, ok := v.(bool); ok {
			return b, nil
		}
		return nil, p.impossibleError(v, "want true or false")
	case KindDuration:
		return p.readDuration(v)
	case KindNumbers:
		return p.readNumbers(v)
	case KindTable:
		return p.readTable(v)
	case KindNames:
		return p.readNames(v)
	}
	return p.readNumber(v)
}

func (p Param) readNumber(v any) (any, error) {
	x, ok := toFloat(v)
	switch {
	case !ok || !p.isInBounds(x):
		return nil, p.impossibleError(v, "want "+p.describeBounds("a number", "%g"))
	case p.Kind == KindService:
		return policy.GPUSeconds(x), nil
	case p.Kind == KindNumber:
		return x, nil
	case x != math.Trunc(x) || math.Abs(x) > 1<<53:
		return nil, p.impossibleError(v, "want "+p.describeBounds("a whole number", "%g"))
	}
	return int(x), nil
}

func (p Param) readDuration(v any) (any, error) {
	if d, ok := v.(time.Duration); ok {
		v = d.String()
	}
	s, ok := v.(string)
	d, err := time.ParseDuration(s)
	if !ok || err != nil || !p.isInBounds(d.Seconds()) {
		return nil, p.impossibleError(v, "want "+p.describeBounds(`a duration like "15m"`, "%g s"))
	}
	return d, nil
}

func (p Param) isInBounds(x float64) bool {
	return x >= p.Min && (p.Max == 0 || x <= p.Max) && !math.IsInf(x, 0)
}

func (p Param) describeBounds(what, unit string) string {
	if p.Max == 0 {
		return fmt.Sprintf("%s of at least "+unit, what, p.Min)
	}
	return fmt.Sprintf("%s from "+unit+" to "+unit, what, p.Min, p.Max)
}

func (p Param) impossibleError(v any, want string) error {
	if s, ok := v.(string); ok {
		return fmt.Errorf("parameter %s: %q is not possible, %s", p.Name, s, want)
	}
	return fmt.Errorf("parameter %s: %v is not possible, %s", p.Name, v, want)
}

// toFloat converts any number a YAML or JSON reader produces.
func toFloat(v any) (float64, bool) {
	switch x := v.(type) {
	case int:
		return float64(x), true
	case int64:
		return float64(x), true
	case uint64:
		return float64(x), true
	case float64:
		return x, !math.IsNaN(x)
	}
	return 0, false
}
