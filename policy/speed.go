package policy

import (
	"cmp"
	"slices"
	"strings"
)

// Speed is how fast GPUs of a type train, relative to those of other types.
type Speed struct {
	Type  string  `json:"type"`
	Speed float64 `json:"speed"` // of one GPU; only ratios matter
}

// dataSheetTFLOPS are the peak dense FP16 or BF16 rates of common GPUs, in TFLOPS, as the
// public data sheets of NVIDIA and AMD give them (FP32 for those that have no
// faster half precision; one of two chips for boards that Slurm shows as two).
// What a job gets of that differs from job to job: the table is for jobs of which
// nothing better is known, and is used for the order and for rough ratios only.
var dataSheetTFLOPS = []Speed{
	{"gb300", 2500}, {"b300", 2250}, {"gb200", 2500}, {"b200", 2250}, {"b100", 1750},
	{"gh200", 989}, {"h200", 989}, {"h100", 989}, {"h800", 989}, {"h100_pcie", 756}, {"h20", 148},
	{"a100", 312}, {"a800", 312}, {"a40", 150}, {"a30", 165}, {"a10", 125}, {"a10g", 70}, {"a2", 18},
	{"l40s", 362}, {"l40", 181}, {"l4", 121}, {"rtx_6000_ada", 364}, {"rtx_a6000", 155}, {"a6000", 155},
	{"rtx_a5000", 111}, {"a5000", 111}, {"rtx_a4000", 77}, {"a4000", 77}, {"rtx_8000", 130}, {"rtx_6000", 130},
	{"rtx_5090", 210}, {"rtx_4090", 165}, {"rtx_3090", 71}, {"rtx_2080_ti", 54}, {"rtx5090", 210}, {"rtx4090", 165}, {"rtx3090", 71}, {"rtx2080ti", 54},
	{"v100", 125}, {"v100s", 130}, {"t4", 65}, {"p100", 21}, {"p40", 12}, {"gtx_1080_ti", 11}, {"m60", 4.8}, {"m40", 7}, {"k80", 4.4}, {"k40", 4.3},
	{"mi355x", 2500}, {"mi325x", 1307}, {"mi300x", 1307}, {"mi250x", 192}, {"mi250", 181}, {"mi210", 181}, {"mi100", 185},
}

// separators makes words of what names of types have between their words.
var separators = strings.NewReplacer(" ", "_", "-", "_", ".", "_")

// DataSheetSpeed returns the speed of a type as public data sheets have it; ok is false
// for types that are not among the common ones. A type is known by the name in
// it: a100, NVIDIA A100-SXM4-80GB, nvidia_h100_80gb_hbm3.
func DataSheetSpeed(typ string) (speed float64, ok bool) {
	name := "_" + separators.Replace(strings.ToLower(typ)) + "_"
	best := ""
	for _, s := range dataSheetTFLOPS {
		if len(s.Type) > len(best) && strings.Contains(name, "_"+s.Type+"_") {
			best, speed = s.Type, s.Speed
		}
	}
	return speed, best != ""
}

// SpeedOf returns the speed of a type as the snapshot has it, else as DataSheetSpeed.
func (s *Snapshot) SpeedOf(typ string) (speed float64, ok bool) {
	for _, v := range s.Speeds {
		if v.Type == typ {
			return v.Speed, v.Speed > 0
		}
	}
	return DataSheetSpeed(typ)
}

// sortFastestFirst sorts types: the fastest first, those of unknown speed last, equals by
// name.
func sortFastestFirst(types []string, speed func(string) (float64, bool)) {
	if len(types) < 2 {
		return
	}
	known := make(map[string]float64, len(types))
	for _, t := range types {
		if v, ok := speed(t); ok {
			known[t] = v
		}
	}
	slices.SortFunc(types, func(a, b string) int { return cmp.Or(cmp.Compare(known[b], known[a]), cmp.Compare(a, b)) })
}

// trainingSpeed returns how fast the job is on GPUs of a type, as far as that
// is known: its own speed there; else a speed of its own elsewhere times how much
// faster the type is; else, for a job that tells none, that of the type.
func (s *Snapshot) trainingSpeed(t *Training, typ string) (float64, bool) {
	tells := t.hasTypedRates()
	for i := 0; tells && i < len(t.Rates); i++ {
		if r := t.Rates[i]; r.Type == typ {
			return r.StepsPerSecond, r.StepsPerSecond > 0
		}
	}
	here, ok := s.SpeedOf(typ)
	if !tells {
		return here, ok
	}
	for _, r := range t.Rates {
		if there, known := s.SpeedOf(r.Type); ok && known && r.StepsPerSecond > 0 {
			return r.StepsPerSecond * here / there, true
		}
	}
	return 0, false
}

// SpeedFor returns how fast the job is on GPUs of a type as far as it tells, else how fast such GPUs
// are; of the speeds of one job only ratios matter. ok is false where nothing is known.
func (s *Snapshot) SpeedFor(j *Job, typ string) (speed float64, ok bool) {
	return s.trainingSpeed(j.Training, typ)
}

// hasTypedRates reports whether there are speeds on named types.
func (t *Training) hasTypedRates() bool {
	return t != nil && slices.ContainsFunc(t.Rates, func(r Rate) bool { return r.Type != "" })
}

// GPUTypes returns the types of the nodes' GPUs, the fastest first.
func (s *Snapshot) GPUTypes() []string {
	var types []string
	for i := range s.Nodes {
		for _, d := range s.Nodes[i].GPUs {
			if !slices.Contains(types, d.Type) {
				types = append(types, d.Type)
			}
		}
	}
	sortFastestFirst(types, s.SpeedOf)
	return types
}

// SortFastestFirst sorts types of GPU, which have the order of GPUTypes, as the job would
// best have them: the fastest for it first, as far as it tells; for nil: the
// fastest first.
func (s *Snapshot) SortFastestFirst(j *Job, types []string) {
	switch {
	case j == nil:
		sortFastestFirst(types, s.SpeedOf)
	case j.Training.hasTypedRates():
		sortFastestFirst(types, func(typ string) (float64, bool) { return s.trainingSpeed(j.Training, typ) })
	}
}
