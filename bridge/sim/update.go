package sim

import "time"

// Update is what one update call asks for; nil leaves a field as it is. The
// fields are applied in the order below and the first refusal ends the update:
// what came before it stays applied, as in Slurm.
type Update struct {
	SLUID      string // only if the job is still this run; "": always
	QOS        *string
	Partition  *string
	Account    *string
	Features   *string
	Limit      *time.Duration
	Begin      *time.Time // the past counts as now
	Required   *[]string  // none: clear
	Excluded   *[]string  // none: clear
	GPUs       *int       // of the kind the job asked for: per node, or in all
	GPUType    *string
	Requeue    *bool
	NoRequeue  bool // 22.05's way to forbid requeues
	Comment    *string
	Extra      *string
	Admin      *string // admin_comment
	Name       *string
	SiteFactor *int64 // offset, 0 neutral
	Priority   *int64 // 0 holds, Infinite releases
	Hold       *bool
	Nice       *int64
}

// Infinite is the priority that means "release" in an update.
const Infinite int64 = 0xffffffff

// Ptr returns a pointer to v, for the fields of an Update.
func Ptr[T any](v T) *T { return &v }
