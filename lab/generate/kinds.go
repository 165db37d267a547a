package generate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"fairbridge/policy"
	"fairbridge/replica/workload"
)

// ListKindNames are the names of the workloads that can be made.
func ListKindNames() []string {
	var names []string
	for _, k := range ListKinds() {
		names = append(names, k.Name)
	}
	return names
}

// WorkloadOptions are what all kinds of workload understand of what a caller wants; zero
// fields mean the default of the kind.
type WorkloadOptions struct {
	JobCount     int
	DayCount     float64
	ClusterGPUs  int // of the cluster
	OfferedLoad  float64
	AccountCount int
	ProfileName  string
}

// WorkloadKind is a kind of workload by its name.
type WorkloadKind struct {
	Name        string
	Description string
	UsedOptions []string // the names of those it takes, as flags are called: "jobs"; the others do not count for it
	// HasTraining says that its jobs run at the speeds of NewSpeedTables.
	HasTraining bool
	newDrawer   func(WorkloadOptions) (JobDrawer, error)
}

// JobDrawer draws the jobs of a seed.
type JobDrawer interface {
	DrawJobs(seed int64) []workload.Job
}

// AccountDrawer is a JobDrawer whose jobs belong to accounts with weights.
type AccountDrawer interface {
	DrawAccounts(seed int64) []policy.Account
}

// ListKinds are all workloads that can be made by name.
func ListKinds() []WorkloadKind {
	return []WorkloadKind{
		{"day", "days of a GPU cluster as the Helios study measured them", []string{"days", "gpus", "load", "accounts", "profile"}, false, newDayDrawer},
		{"philly", "jobs as Microsoft's Philly cluster saw them", []string{"jobs", "gpus", "load", "accounts"}, false, func(w WorkloadOptions) (JobDrawer, error) {
			return PhillyDrawer{JobCount: w.JobCount, ClusterGPUs: w.ClusterGPUs, OfferedLoad: w.OfferedLoad, AccountCount: w.AccountCount}, nil
		}},
		{"tenant", "accounts of unequal weights, one of which floods the cluster in bursts", []string{"days", "gpus", "load", "accounts"}, false, func(w WorkloadOptions) (JobDrawer, error) {
			return MultiTenantDrawer{ArrivalHours: 24 * w.DayCount, ClusterGPUs: w.ClusterGPUs, OfferedLoad: w.OfferedLoad, AccountCount: w.AccountCount}, nil
		}},
		{"gavel", "training jobs on three GPU types, as in Gavel's experiments", []string{"jobs", "gpus", "load"}, true, func(w WorkloadOptions) (JobDrawer, error) {
			return GavelDrawer{JobCount: w.JobCount, ClusterGPUs: w.ClusterGPUs, OfferedLoad: w.OfferedLoad}, nil
		}},
		{"shockwave", "training jobs that change their batch size, as in Shockwave's experiments", []string{"jobs", "gpus"}, true, func(w WorkloadOptions) (JobDrawer, error) {
			return ShockwaveDrawer{JobCount: w.JobCount, ClusterGPUs: w.ClusterGPUs}, nil
		}},
		{"deadline", "Gavel's jobs with deadlines", []string{"jobs", "gpus", "load"}, true, func(w WorkloadOptions) (JobDrawer, error) {
			return DeadlineDrawer{GavelDrawer: GavelDrawer{JobCount: w.JobCount, ClusterGPUs: w.ClusterGPUs, OfferedLoad: w.OfferedLoad}}, nil
		}},
	}
}

func newDayDrawer(w WorkloadOptions) (JobDrawer, error) {
	d := DayDrawer{ProfileName: w.ProfileName, DayCount: w.DayCount, ClusterGPUs: w.ClusterGPUs, OfferedLoad: w.OfferedLoad, AccountCount: w.AccountCount}
	_, err := d.withDefaults()
	return d, err
}

// workloadStart is when made workloads begin.
var workloadStart = time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)

// Workload is a workload made by name.
type Workload struct {
	Start    time.Time
	Jobs     []workload.Job
	Accounts []policy.Account
}

// DrawWorkload draws a workload of the kind. The error says what it does not
// understand.
func DrawWorkload(kind string, w WorkloadOptions, seed int64) (*Workload, error) {
	for _, k := range ListKinds() {
		if k.Name != kind {
			continue
		}
		if err := w.checkRanges(); err != nil {
			return nil, err
		}
		d, err := k.newDrawer(w)
		if err != nil {
			return nil, err
		}
		m := &Workload{Start: workloadStart, Jobs: d.DrawJobs(seed)}
		if t, ok := d.(AccountDrawer); ok {
			m.Accounts = t.DrawAccounts(seed)
		}
		return m, nil
	}
	return nil, fmt.Errorf("no kind of workload %q; there are %s", kind, strings.Join(ListKindNames(), ", "))
}

// CheckOptionsUsed refuses options that say something that a kind does not take: they
// would change nothing. The size of the cluster is none of them.
func CheckOptionsUsed(kind string, o WorkloadOptions) error {
	i := slices.IndexFunc(ListKinds(), func(k WorkloadKind) bool { return k.Name == kind })
	if i < 0 {
		return nil // DrawWorkload says which there are
	}
	used := ListKinds()[i].UsedOptions
	for _, f := range []struct {
		name  string
		isSet bool
	}{{"jobs", o.JobCount != 0}, {"load", o.OfferedLoad != 0}, {"days", o.DayCount != 0}, {"accounts", o.AccountCount != 0}, {"profile", o.ProfileName != ""}} {
		if f.isSet && !slices.Contains(used, f.name) {
			return fmt.Errorf("workload %s takes no --%s: leave it out; it is drawn by %s", kind, f.name, strings.Join(used, ", "))
		}
	}
	return nil
}

// HasTraining reports whether the jobs of a kind run at the speeds of NewSpeedTables.
func HasTraining(kind string) bool {
	return slices.ContainsFunc(ListKinds(), func(k WorkloadKind) bool { return k.Name == kind && k.HasTraining })
}

// GPUTypes are those that NewSpeedTables has speeds of.
func GPUTypes() []string { return gpuTypes[:] }

func (w *WorkloadOptions) checkRanges() error {
	for _, f := range []struct {
		name  string
		value float64
		most  float64
	}{
		{"jobs", float64(w.JobCount), 10_000_000}, {"days", w.DayCount, 3660}, {"gpus", float64(w.ClusterGPUs), 1 << 20},
		{"load", w.OfferedLoad, 100}, {"accounts", float64(w.AccountCount), 10_000},
	} {
		if cmp.Compare(f.value, 0) < 0 || f.value > f.most {
			return fmt.Errorf("%s: %g, want more than 0 and at most %g", f.name, f.value, f.most)
		}
	}
	return nil
}
