// Package slurm has what is known of Slurm as values: its jobs, nodes, partitions
// and reservations, and the edits that are made to them. Package decode reads them
// from every API version that the table of package rest has, rest asks for them, and
// only package writer changes it.
//
// Everything from Slurm is read here, once, into plain values: missing is
// never zero, a text that cannot be read says why (UnreadReason), and a record whose
// required fields cannot be read has an UntrustedReason and is left alone.
package slurm

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// What a device is, what a node has, what a job asks and what it holds is
// answered here and in holds.go, and nowhere else.

// UntypedGPU is what GPUs are called whose node's configuration names no type.
const UntypedGPU = "gpu"

// PercentOfGPU returns how many percent of a GPU each device of the resource is.
func (g GRES) PercentOfGPU() int { return PercentOfGPUType(g.Type) }

// PercentOfGPUType returns how many percent of a GPU a device of the type is: 100 for a
// whole one, for a MIG slice its part of the GPU's compute slices, rounded down.
// A slice is known by the profile that ends its type: 1g.5gb, a100_3g.20gb,
// nvidia_h100_80gb_hbm3_2g.20gb, 1g.5gb+me, and 1c.3g.20gb for one compute slice
// of three. GPUs have seven, but the A30 has four, of 6 GB each.
func PercentOfGPUType(typ string) int {
	profile, _, _ := strings.Cut(strings.ToLower(typ), "+")
	profile = profile[strings.LastIndexAny(profile, "_-")+1:]
	compute, profile := cutComputeInstances(profile)
	slice, memory, ok := strings.Cut(profile, "g.")
	gb, isMemory := strings.CutSuffix(memory, "gb")
	n, err := strconv.Atoi(slice)
	m, err2 := strconv.Atoi(gb)
	of := 7
	if m == 6*n {
		of = 4
	}
	if !ok || !isMemory || err != nil || err2 != nil || n < 1 || n > of || compute > n {
		return 100
	}
	return cmp.Or(compute, n) * 100 / of
}

// cutComputeInstances cuts the number of compute slices off a profile such as
// 1c.3g.20gb; 0 when it names none.
func cutComputeInstances(profile string) (slices int, rest string) {
	if head, tail, ok := strings.Cut(profile, "c."); ok {
		if n, err := strconv.Atoi(head); err == nil && n > 0 {
			return n, tail
		}
	}
	return 0, profile
}

// GPUs returns the GPUs Slurm has configured on the node, by type, sorted.
// What cannot be read is not there.
func (n *Node) GPUs() []GRES { return n.gpusByType(n.Gres.List, "") }

// GPUsInUse returns those of the GPUs that Slurm has given out.
func (n *Node) GPUsInUse() []GRES { return n.gpusByType(n.GresUsed.List, "") }

// MentionsGPUs reports whether what Slurm says of the node's generic resources has
// GPUs in it, whatever else it says.
func (n *Node) MentionsGPUs() bool { return strings.Contains(n.Gres.Text, "gpu") }

// gpusByType returns the GPUs of a list on the node by type, sorted. Those that name
// no type are of the type given or, where the node has none of that, what an
// untyped GPU of the node is. The node may be nil: not known.
func (n *Node) gpusByType(list []GRES, typ string) []GRES {
	var out []GRES
	for _, g := range list {
		if g.Name != "gpu" || g.Count <= 0 {
			continue
		}
		if g.Type == "" {
			g.Type = n.typeOfUntyped(typ)
		}
		if i := slices.IndexFunc(out, func(o GRES) bool { return o.Type == g.Type }); i >= 0 {
			out[i].Count += g.Count
		} else {
			out = append(out, GRES{Name: g.Name, Type: g.Type, Count: g.Count})
		}
	}
	slices.SortFunc(out, func(a, b GRES) int { return cmp.Compare(a.Type, b.Type) })
	return out
}

// typeOfUntyped names a GPU of the node that is told without a type: the one given if
// the node has it, else its first type of whole GPUs, else its first type.
func (n *Node) typeOfUntyped(typ string) string {
	if n == nil {
		return typ
	}
	first := ""
	for _, g := range n.Gres.List {
		switch {
		case g.Name != "gpu" || g.Type == "":
		case g.Type == typ:
			return typ
		case first == "" || PercentOfGPUType(first) < 100 && g.PercentOfGPU() == 100:
			first = g.Type
		}
	}
	return cmp.Or(first, UntypedGPU)
}

// GPUCount returns how many GPUs of the type the node has; "" is any type.
func (n *Node) GPUCount(typ string) (count int) {
	for _, g := range n.GPUs() {
		if typ == "" || g.Type == typ {
			count += g.Count
		}
	}
	return count
}

// FreeGPUCount returns how many devices of the type Slurm shows as not given out, neither
// as a whole nor in shares.
func (n *Node) FreeGPUCount(typ string) int {
	free := 0
	for _, g := range n.GPUs() {
		if g.Type == typ {
			free += g.Count
		}
	}
	for _, g := range n.GPUsInUse() {
		if g.Type == typ {
			free -= g.Count
		}
	}
	for _, g := range n.GresUsed.List {
		if g.IsShare() && cmp.Or(g.Type, n.typeOfUntyped("")) == typ {
			free -= len(g.DeviceIndexes)
		}
	}
	return max(free, 0)
}

// maxDirectiveTypes bounds how many GPU types a user may list.
const maxDirectiveTypes = 16

// setGPUTypes reads types joined by plus signs, which survive --comment, shells and the commas
// of a directive. They are sorted, each once.
func setGPUTypes(to *[]string, v string) error {
	list := strings.Split(v, "+")
	if len(list) > maxDirectiveTypes {
		return fmt.Errorf("at most %d GPU types", maxDirectiveTypes)
	}
	for _, typ := range list {
		if typ == "" || len(typ) > 64 {
			return errors.New("GPU types look like types=a100+h100")
		}
	}
	slices.Sort(list)
	*to = slices.Compact(list)
	return nil
}

// DeclaredSize is what a job's owner lets us choose of its size.
type DeclaredSize struct {
	MinGPUs, MaxGPUs int      // 0: it is rigid
	GPUTypes         []string // it may run on besides the one it asks for, sorted
}

// DeclaredSize returns the sizes that count for a job that asks so many GPUs of a type ("": any),
// where there are so many of each type, and says what of the declaration does not count, and why;
// "" when all does. A range of which one end is not told ends at what the job asks.
func (d *Directive) DeclaredSize(asked int, askedType string, countByType map[string]int) (out DeclaredSize, why string) {
	var notes []string
	out.GPUTypes, notes = d.knownTypes(askedType, countByType)
	total := 0
	for typ, n := range countByType {
		if askedType == "" || typ == askedType || slices.Contains(out.GPUTypes, typ) {
			total += n
		}
	}
	var note string
	if out.MinGPUs, out.MaxGPUs, note = d.sizeRange(asked, total); note != "" {
		notes = append(notes, note)
	}
	return out, strings.Join(notes, "\n")
}

// knownTypes returns the declared types that are there.
func (d *Directive) knownTypes(askedType string, countByType map[string]int) (types, notes []string) {
	if len(d.GPUTypes) > 0 && askedType == "" {
		return nil, []string{"fairbridge:types=" + strings.Join(d.GPUTypes, "+") + ": the job asks for GPUs of any type, so that this adds nothing; it is ignored"}
	}
	for _, typ := range d.GPUTypes {
		switch {
		case typ == askedType:
		case countByType[typ] > 0:
			types = append(types, typ)
		default:
			notes = append(notes, fmt.Sprintf("fairbridge:types: its partition has no GPU of type %q; that type is ignored", typ))
		}
	}
	return types, notes
}

// sizeRange returns the declared range as it counts where there are total GPUs the job may use.
func (d *Directive) sizeRange(asked, total int) (low, high int, note string) {
	if d.MinGPUs == 0 && d.MaxGPUs == 0 {
		return 0, 0, ""
	}
	low, high = d.MinGPUs, d.MaxGPUs
	if low == 0 {
		low = min(asked, high)
	}
	if high == 0 {
		high = max(asked, low)
	}
	switch {
	case asked < low || asked > high:
		return 0, 0, fmt.Sprintf("fairbridge:min=%d,max=%d does not contain the %d GPUs it asks for; its size stays as asked", low, high, asked)
	case low > total:
		return 0, 0, fmt.Sprintf("fairbridge:min=%d is more than the %d GPUs its partition has for it; its size stays as asked", low, total)
	case high > total:
		note = fmt.Sprintf("fairbridge:max=%d is more than the %d GPUs its partition has for it; %d counts", high, total, max(total, asked))
	}
	return low, min(high, max(total, asked)), note
}

// MaxAdminCommentLength bounds a text of ours in a job's admin_comment, in bytes. Slurm keeps
// tens of thousands.
const MaxAdminCommentLength = 120

// adminCommentPattern is the form of such a text: who says it, as of when, and plain words.
// Neither a shell, nor scontrol, nor a list finds anything in it that it would take for its own.
var adminCommentPattern = regexp.MustCompile(`^fairbridge [0-9]{1,2} [A-Z][a-z]{2} [0-9]{2}:[0-9]{2} UTC: [A-Za-z0-9][A-Za-z0-9 ,;._-]*$`)

// IsAdminComment reports whether the text has the form of those that we write into a job's
// admin_comment. Whether one that stands there is ours, the ledger knows.
func IsAdminComment(text string) bool {
	return len(text) <= MaxAdminCommentLength && adminCommentPattern.MatchString(text)
}
