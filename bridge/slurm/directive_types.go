package slurm

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

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
