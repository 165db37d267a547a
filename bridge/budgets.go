package bridge

import (
	"time"
)

// Budgets holds the budgets of the gate. Every figure is a ceiling on harm, so
// the defaults suit a cluster of thousands of GPUs. On a small or throw-away
// cluster a few percent of the GPUs is less than one job; the floors and
// SmallClusterGPUs below then decide, and an administrator may raise the percentages.
type Budgets struct {
	// LeaseMin is the shortest lease (duration). A shorter one may have run
	// out before Slurm looks, or lie in the past when the clocks differ.
	LeaseMin time.Duration `yaml:"lease_min"`
	// LeaseMax is the longest lease (duration, at most 1h): for so long a job
	// stays held if we die the moment after.
	LeaseMax time.Duration `yaml:"lease_max"`
	// LeaseTotal is how long a job may be leased altogether (duration); then it
	// is exempt for good, so that no job starves by leases.
	LeaseTotal time.Duration `yaml:"lease_total"`
	// DeadlineMargin is the slack a lease must leave before the last moment at
	// which a job with a deadline can start (duration): starts come late.
	DeadlineMargin time.Duration `yaml:"deadline_margin"`
	// MaxDependants is how many jobs may wait for a job that is leased or
	// held (jobs): holding the head of a tree holds the tree.
	MaxDependants int `yaml:"max_dependants"`
	// MaxPending is the wait after which a job is neither leased nor lowered
	// (duration): old jobs must be able to finish.
	MaxPending time.Duration `yaml:"max_pending"`

	// Quantum is the run time a job has before it may be stopped (duration,
	// plus its checkpoint cost): less, and work is spent on restarts. No two
	// jobs displace each other within two of them.
	Quantum time.Duration `yaml:"quantum"`
	// StopPause is how long no job of a partition is stopped after a stop in vain:
	// the job it was made for did not start (duration).
	StopPause time.Duration `yaml:"stop_pause"`
	// Cooldown is the time between two stops of a job (duration).
	Cooldown time.Duration `yaml:"cooldown"`
	// JobStops4h is how often a job may be stopped within 4 hours (stops).
	JobStops4h int `yaml:"job_stops_4h"`
	// JobStops24h is how often within 24 hours (stops); a job that got there
	// once is exempt for good.
	JobStops24h int `yaml:"job_stops_24h"`
	// UserStops1h is how often a user's jobs may be stopped in an hour
	// (stops): no one person pays for all the others.
	UserStops1h int `yaml:"user_stops_1h"`
	// AccountStops1h is how often an account's jobs may be (stops).
	AccountStops1h int `yaml:"account_stops_1h"`
	// StopPercent bounds the GPUs of the jobs stopped per interval (percent of
	// the GPUs in use), StopPercent1h those per hour: a wrong policy must be
	// slow enough for people to notice.
	StopPercent   float64 `yaml:"stop_percent"`
	StopPercent1h float64 `yaml:"stop_percent_1h"`
	// StopFloor and StopFloor1h are the jobs that may be stopped per interval
	// and per hour whatever their size (jobs), for clusters where the
	// percentages are less than one job. 0: none.
	StopFloor   int `yaml:"stop_floor"`
	StopFloor1h int `yaml:"stop_floor_1h"`
	// SmallClusterGPUs is what a smaller cluster is counted as: StopPercent and StopPercent1h
	// are taken of so many GPUs, but of no more than SmallStopPercent of those in use (percent).
	// Two percent of 32 GPUs is no job; a gang gets room by several stops or by none.
	SmallClusterGPUs float64 `yaml:"small_cluster_gpus"`
	SmallStopPercent float64 `yaml:"small_stop_percent"`
	// LostPercent24h bounds the work lost by stops in 24 hours (percent of
	// the GPU-hours the GPUs now in use deliver in that time), LostPercent1h that lost
	// in an hour; StopFloor1h jobs are not asked for the latter.
	LostPercent24h float64 `yaml:"lost_percent_24h"`
	LostPercent1h  float64 `yaml:"lost_percent_1h"`
	// RestartCost is what a stop costs a job that does not say and of whose kind no
	// restart was measured (duration, of all its GPUs).
	RestartCost time.Duration `yaml:"restart_cost"`
	// NeighbourSpeed is the share of its speed alone that a job keeps beside others on its GPUs (ratio): one that keeps
	// less is hurt, and the neighbour that may be stopped leaves. 0: none ever does.
	NeighbourSpeed float64 `yaml:"neighbour_speed"`
	// ApartFor is how long jobs that were separated are not put on a GPU together again (duration).
	ApartFor time.Duration `yaml:"apart_for"`
	// Recall is the time within which the GPUs of jobs that run on what others leave are back when another job is to
	// have them (duration): such a job has no run time of its own, and a stop of it for another counts to no budget.
	// 0: it is treated like any other.
	Recall time.Duration `yaml:"recall"`
	// IdleMin is the shortest time for which all GPUs of a job must have done no work before it is stopped for that,
	// whatever its partition says.
	IdleMin time.Duration `yaml:"idle_min"`
	// GainFactor is how many times the work lost a beneficiary must be
	// expected to do (ratio), else the stop is not worth it.
	GainFactor float64 `yaml:"gain_factor"`

	// MaxEdits bounds edits per interval, and so does EditPercent (percent
	// of the listed jobs), but never below EditFloor. EditRate bounds them
	// per second of the interval. Each record counts once, however many
	// waiting tasks of an array it stands for; of stops each task does.
	// slurmctld must hardly notice us: a call was measured to take it 1 ms (71
	// took 0.08 s beside 500 jobs and an array of 2,000), so that the floor of
	// 150, all that the rate allows in 30 s, takes half a percent of them. 600
	// records have their numbers in four intervals so.
	MaxEdits    int     `yaml:"mutations"`
	EditPercent float64 `yaml:"mutation_percent"`
	EditFloor   int     `yaml:"mutation_floor"`
	EditRate    float64 `yaml:"mutation_rate"`
	// ChurnPercent is the share of pending jobs whose place in Slurm's order
	// may change band per interval (percent). Bands double in width from the
	// head of the line: 1, 2–3, 4–7, … Jobs new to the line are not churn.
	ChurnPercent float64 `yaml:"churn_percent"`
	// PlanChurnPercent is the share beyond which a whole plan is refused
	// (percent), measured against the policy's plan before, refused or not:
	// a policy that flaps stays refused, one that stands by a new order is
	// believed an interval later and let through by ChurnPercent.
	PlanChurnPercent float64 `yaml:"plan_churn_percent"`
	// ChurnFloor is the number of jobs that may always change band (jobs). Ten
	// percent of eight jobs is none, and a queue that cannot be ordered needs
	// no scheduler; a human still sees a reordering of this size at a glance.
	ChurnFloor int `yaml:"churn_floor"`

	// EditCooldown is the time between two changes of one field of a job
	// (duration). What is given back is not delayed.
	EditCooldown time.Duration `yaml:"edit_cooldown"`
	// PlanStopPercent is the share of the partition's GPUs (percent) beyond which no job of one plan
	// is stopped any more, but for PlanStopFloor jobs: those for the first in line come first. It is a
	// ceiling for sites that open the budgets above; the rest of such a plan, its order and its
	// starts, is as good as any.
	PlanStopPercent float64 `yaml:"plan_stop_percent"`
	PlanStopFloor   int     `yaml:"plan_stop_floor"`

	// VanishPercent of the live jobs of the last good view may be gone at once
	// (percent), or VanishFloor of them (jobs), when Slurm, asked about each,
	// does not know them: for more, three polls in a row must show it. Slurm
	// lists finished jobs for minutes.
	VanishPercent float64 `yaml:"vanish_percent"`
	VanishFloor   int     `yaml:"vanish_floor"`
	// ShrinkPercent of the nodes may be gone at once likewise (percent); nodes
	// that are down stay listed.
	ShrinkPercent float64 `yaml:"shrink_percent"`

	// NodeFactor is how many times the nodes it needs a job keeps after our
	// exclusions (ratio): nodes fail, and the exclusion stays if we die.
	NodeFactor float64 `yaml:"node_factor"`
	// Skew is the largest difference between our clock and Slurm's (duration).
	// The database's may differ by a minute.
	Skew time.Duration `yaml:"skew"`
	// SnapshotAge is the age beyond which a snapshot or view is stale (share
	// of the interval).
	SnapshotAge float64 `yaml:"snapshot_age"`
	// SendTime is the time the sending of a cycle's edits may take (duration);
	// leadership must last 2 s longer.
	SendTime time.Duration `yaml:"send_time"`
	// YieldFor is how long a job is left alone after somebody else changed
	// what we had set (duration, an hour to a day: the ledger is read a day back).
	YieldFor time.Duration `yaml:"yield_for"`

	// The exempt are never touched: users (root and the SlurmUser belong
	// here), accounts, partitions and job ids.
	ExemptUsers      []string `yaml:"exempt_users"`
	ExemptAccounts   []string `yaml:"exempt_accounts"`
	ExemptPartitions []string `yaml:"exempt_partitions"`
	ExemptJobs       []int64  `yaml:"exempt_jobs"`
	// IAcceptOrphanHolds allows hard holds (priority 0). If we die they stay
	// until a person releases them.
	IAcceptOrphanHolds bool `yaml:"i_accept_orphan_holds"`
}

// DefaultBudgets returns the budgets for a production cluster.
func DefaultBudgets() Budgets {
	return Budgets{
		LeaseMin: 30 * time.Second, LeaseMax: time.Hour, LeaseTotal: 24 * time.Hour,
		DeadlineMargin: 10 * time.Minute, MaxDependants: 10, MaxPending: 72 * time.Hour,
		Quantum: 30 * time.Minute, StopPause: 30 * time.Minute, Cooldown: 2 * time.Hour,
		JobStops4h: 1, JobStops24h: 3, UserStops1h: 5, AccountStops1h: 10,
		StopPercent: 1, StopPercent1h: 2, StopFloor: 1, StopFloor1h: 1, SmallClusterGPUs: 800, SmallStopPercent: 25,
		LostPercent24h: 5, LostPercent1h: 10, RestartCost: defaultRestartCost, GainFactor: 3, NeighbourSpeed: 0.6, ApartFor: 6 * time.Hour, Recall: 5 * time.Minute, IdleMin: 15 * time.Minute,
		MaxEdits: 200, EditPercent: 2, EditFloor: 150, EditRate: 5,
		ChurnPercent: 10, PlanChurnPercent: 50, ChurnFloor: 50,
		EditCooldown: 20 * time.Second, PlanStopPercent: 50, PlanStopFloor: 4,
		VanishPercent: 20, VanishFloor: 10, ShrinkPercent: 20,
		NodeFactor: 2, Skew: 5 * time.Second, SnapshotAge: 0.5,
		SendTime: 10 * time.Second, YieldFor: 24 * time.Hour,
		ExemptUsers: []string{"root", "slurm"},
	}
}
