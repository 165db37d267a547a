package slurm

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
)

// TRES is a list of trackable resources, such as tres_req_str, read once.
type TRES struct {
	Text         string // as Slurm writes it; "" of one that was added up
	CPUs         int64
	MemMB        int64 // megabytes
	NodeCount    int64
	Billing      int64
	Gres         []GRES // every "gres/…" item, sorted by name, then type; no Index; shared: never written to
	UnreadReason string // why the text cannot be read, and lists nothing; "" when it can
}

// ReadTRES reads a list as ParseTRES does.
func ReadTRES(text string) TRES {
	t, err := ParseTRES(text)
	t.Text, t.UnreadReason = text, errorText(err)
	return t
}

// MentionsGPUs reports whether the text has GPUs in it, whatever else it says.
func (t TRES) MentionsGPUs() bool { return strings.Contains(t.Text, "gres/gpu") }

// GPUCount returns the number of GPUs. "gres/gpu" is the total, which the typed
// items repeat; their sum counts only when the total is not listed.
func (t TRES) GPUCount() int { return SumGRES(t.Gres, "gpu") }

// GPUType returns the type all the GPUs have, or "" when it is left open or
// mixed, as where Slurm tracks one type of several.
func (t TRES) GPUType() string {
	typ, _ := commonGPUType(t.Gres, true)
	return typ
}

// commonGPUType returns the type all GPUs of a list have, "" where there is none; isMixed: it
// names one that not all have. An item without type is the total of the others, or GPUs
// of any type beside them.
func commonGPUType(list []GRES, hasTotal bool) (typ string, isMixed bool) {
	typed, untyped := 0, 0
	for _, g := range list {
		switch {
		case g.Name != "gpu":
		case g.Type == "":
			untyped += g.Count
		case typ != "" && typ != g.Type:
			return "", true
		default:
			typ, typed = g.Type, typed+g.Count
		}
	}
	if typ != "" && (untyped > typed || !hasTotal && untyped > 0) {
		return "", true
	}
	return typ, false
}

// GPUsByType returns the GPUs of the list by type. What the untyped total has beyond
// the typed ones has Type "".
func (t TRES) GPUsByType() []GRES {
	rest, out := t.GPUCount(), []GRES(nil)
	for _, g := range t.Gres {
		if g.Name == "gpu" && g.Type != "" && g.Count > 0 {
			out, rest = append(out, g), rest-g.Count
		}
	}
	if rest > 0 {
		out = append(out, GRES{Name: "gpu", Count: rest})
	}
	return out
}

// SumGRES returns the count of a generic resource in a list where an item
// without type, if any, is the total of the typed ones.
func SumGRES(list []GRES, name string) int {
	untyped, typed := -1, 0
	for _, g := range list {
		switch {
		case g.Name != name:
		case g.Type == "":
			untyped = max(untyped, 0) + g.Count
		default:
			typed += g.Count
		}
	}
	if untyped >= 0 {
		return untyped
	}
	return typed
}

// maxQuantity leaves room for sums, also of memory in bytes.
const maxQuantity = 1 << 56

// ParseTRES reads "cpu=8,mem=64G,node=1,billing=8,gres/gpu=4,gres/gpu:a100=4".
// Memory comes in megabytes unless a unit says otherwise. Resources this
// package has no use for are skipped, whatever their value; billing, which is
// only shown, is 0 where it is no quantity, as Slurm's sign for unknown.
func ParseTRES(s string) (TRES, error) {
	var out TRES
	if s == "" || s == "(null)" {
		return out, nil
	}
	t := &textParser{subject: "resource list", text: s}
	for item := range strings.SplitSeq(s, ",") {
		name, value, ok := strings.Cut(item, "=")
		if !ok || name == "" {
			return TRES{}, t.errorf("name=value should be here")
		}
		t.position += len(name) + 1
		if err := out.setItem(t, name, value); err != nil {
			return TRES{}, err
		}
		t.position += len(value) + 1
	}
	slices.SortFunc(out.Gres, func(a, b GRES) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Count, b.Count))
	})
	return out, nil
}

// setItem stores one item.
func (r *TRES) setItem(t *textParser, name, value string) error {
	unit := 1.0
	if name == "mem" {
		unit = 1 << 20
		if n := len(value); n > 0 && value[n-1] > '9' {
			unit = 1
		}
	}
	gres, isGRES := strings.CutPrefix(name, "gres/")
	isNeeded := isGRES || name == "cpu" || name == "mem" || name == "node"
	n, ok := parseQuantity(value, unit)
	switch ok = ok && n <= maxQuantity; {
	case ok:
	case !isNeeded && value != "":
		return nil
	default:
		return t.errorf("%s is not a quantity", QuoteExcerpt(value))
	}
	switch name {
	case "cpu":
		r.CPUs = n
	case "mem":
		r.MemMB = (n + 1<<20 - 1) >> 20
	case "node":
		r.NodeCount = n
	case "billing":
		r.Billing = n
	default:
		if isGRES {
			kind, typ, _ := strings.Cut(gres, ":")
			if kind == "gpu" && n >= maxDeviceCount {
				return t.errorf("%s is more devices than any cluster has", QuoteExcerpt(value))
			}
			r.Gres = append(r.Gres, GRES{Name: kind, Type: typ, Count: int(n)})
		}
	}
	return nil
}

// parseQuantity reads a number that may be fractional and end in K, M, G, T or P
// (powers of 1024), times unit.
func parseQuantity(s string, unit float64) (int64, bool) {
	if s == "" {
		return 0, false
	}
	if i := strings.IndexByte("KMGTP", s[len(s)-1]&^0x20); i >= 0 && s[len(s)-1] > '9' {
		unit *= math.Pow(1024, float64(i+1))
		s = s[:len(s)-1]
	}
	if strings.Trim(s, "0123456789.") != "" {
		return 0, false // no signs, exponents or hexadecimal digits
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f*unit >= 1<<62 {
		return 0, false
	}
	return int64(math.Ceil(f * unit)), true
}
