package sim

import (
	"time"
)

// JobUpdate is what one update call asks for; nil leaves a field as it is. The
// fields are applied in the order below and the first refusal ends the update:
// what came before it stays applied, as in Slurm.
type JobUpdate struct {
	SLUID         string // only if the job is still this run; "": always
	QOS           *string
	Partition     *string
	Account       *string
	Features      *string
	TimeLimit     *time.Duration
	BeginTime     *time.Time // the past counts as now
	RequiredNodes *[]string  // none: clear
	ExcludedNodes *[]string  // none: clear
	GPUs          *int       // of the kind the job asked for: per node, or in all
	GPUType       *string    // with GPUs and none: any type
	Shards        *int       // of one GPU, in place of the GPU that the job asks for per node
	GPUsArePerJob *bool      // the form in which GPUs come; nil: that in which the job asked
	MayRequeue    *bool
	NoRequeue     bool // 22.05's way to forbid requeues
	Comment       *string
	Extra         *string
	AdminComment  *string // admin_comment
	Name          *string
	SiteFactor    *int64 // offset, 0 neutral
	Priority      *int64 // 0 holds, InfinitePriority releases
	Hold          *bool
	Nice          *int64
}

// InfinitePriority is the priority that means "release" in an update.
const InfinitePriority int64 = 0xffffffff

// Ptr returns a pointer to v, for the fields of an Update.
func Ptr[T any](v T) *T { return &v }
