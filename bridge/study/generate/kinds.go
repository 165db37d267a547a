package generate

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"fairbridge/bridge/study/workload"
	"fairbridge/policy"
)

// KindNames are the names of the workloads that can be made.
func KindNames() []string {
	var names []string
	for _, k := range Kinds() {
		names = append(names, k.Name)
	}
	return names
}

// Options are what all kinds of workload understand of what a caller wants; zero
// fields mean the default of the kind.
type Options struct {
	Jobs     int
	Days     float64
	GPUs     int // of the cluster
	Load     float64
	Accounts int
	Profile  string
}

// Kind is a kind of workload by its name.
type Kind struct {
	Name        string
	Description string
	UsedOptions []string // of the fields of Options, in small letters; the others do not count for it
	// HasTraining says that its jobs run at the speeds of Tables.
	HasTraining bool
	newDrawer   func(Options) (Drawer, error)
}

// Drawer draws the jobs of a seed.
type Drawer interface {
	Draw(seed int64) []workload.Job
}

// AccountDrawer is a Drawer whose jobs belong to accounts with weights.
type AccountDrawer interface {
	AccountsOf(seed int64) []policy.Account
}

// Kinds are all workloads that can be made by name.
func Kinds() []Kind {
	return []Kind{
		{"day", "days of a GPU cluster as the Helios study measured them", []string{"days", "gpus", "load", "accounts", "profile"}, false, newDay},
		{"philly", "jobs as Microsoft's Philly cluster saw them", []string{"jobs", "gpus", "load", "accounts"}, false, func(w Options) (Drawer, error) {
			return PhillyDrawer{Jobs: w.Jobs, GPUs: w.GPUs, Load: w.Load, Accounts: w.Accounts}, nil
		}},
		{"tenant", "accounts of unequal weights, one of which floods the cluster in bursts", []string{"days", "gpus", "load", "accounts"}, false, func(w Options) (Drawer, error) {
			return TenantDrawer{ArrivalHours: 24 * w.Days, GPUs: w.GPUs, Load: w.Load, Accounts: w.Accounts}, nil
		}},
		{"gavel", "training jobs on three GPU types, as in Gavel's experiments", []string{"jobs", "gpus", "load"}, true, func(w Options) (Drawer, error) {
			return GavelDrawer{Jobs: w.Jobs, GPUs: w.GPUs, Load: w.Load}, nil
		}},
		{"shockwave", "training jobs that change their batch size, as in Shockwave's experiments", []string{"jobs", "gpus"}, true, func(w Options) (Drawer, error) {
			return ShockwaveDrawer{Jobs: w.Jobs, GPUs: w.GPUs}, nil
		}},
		{"deadline", "Gavel's jobs with deadlines", []string{"jobs", "gpus", "load"}, true, func(w Options) (Drawer, error) {
			return DeadlineDrawer{GavelDrawer: GavelDrawer{Jobs: w.Jobs, GPUs: w.GPUs, Load: w.Load}}, nil
		}},
	}
}

func newDay(w Options) (Drawer, error) {
	d := DayDrawer{Profile: w.Profile, Days: w.Days, GPUs: w.GPUs, Load: w.Load, Accounts: w.Accounts}
	_, err := d.withDefaults()
	return d, err
}

// firstDay is when made workloads begin.
var firstDay = time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)

// Workload is a workload made by name.
type Workload struct {
	Start    time.Time
	Jobs     []workload.Job
	Accounts []policy.Account
}

// MakeWorkload draws a workload of the kind. The error says what it does not
// understand.
func MakeWorkload(kind string, w Options, seed int64) (*Workload, error) {
	for _, k := range Kinds() {
		if k.Name != kind {
			continue
		}
		if err := w.check(); err != nil {
			return nil, err
		}
		d, err := k.newDrawer(w)
		if err != nil {
			return nil, err
		}
		m := &Workload{Start: firstDay, Jobs: d.Draw(seed)}
		if t, ok := d.(AccountDrawer); ok {
			m.Accounts = t.AccountsOf(seed)
		}
		return m, nil
	}
	return nil, fmt.Errorf("no kind of workload %q; there are %s", kind, strings.Join(KindNames(), ", "))
}

func (w *Options) check() error {
	for _, f := range []struct {
		name  string
		value float64
		most  float64
	}{
		{"jobs", float64(w.Jobs), 10_000_000}, {"days", w.Days, 3660}, {"gpus", float64(w.GPUs), 1 << 20},
		{"load", w.Load, 100}, {"accounts", float64(w.Accounts), 10_000},
	} {
		if cmp.Compare(f.value, 0) < 0 || f.value > f.most {
			return fmt.Errorf("%s: %g, want more than 0 and at most %g", f.name, f.value, f.most)
		}
	}
	return nil
}
