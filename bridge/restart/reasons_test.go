package restart_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge/restart"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// pendingReasons are all words that Slurm 26.05 gives for why a job is pending or failed to start.
var pendingReasons = strings.Fields(`None Prolog Priority Dependency Resources PartitionNodeLimit PartitionTimeLimit
PartitionDown PartitionInactive JobHeldAdmin JobHeldUser BeginTime Licenses AssociationJobLimit AssociationResourceLimit
AssociationTimeLimit Reservation ReqNodeNotAvail FrontEndDown SchedDefer NodeDown BadConstraints SystemFailure
JobLaunchFailure NonZeroExitCode RaisedSignal TimeLimit InactiveLimit InvalidAccount InvalidQOS QOSUsageThreshold
QOSJobLimit QOSResourceLimit QOSTimeLimit Cleaning QOSNotAllowed AccountNotAllowed DependencyNeverSatisfied
QOSGrpCpuLimit QOSGrpCPUMinutesLimit QOSGrpCPURunMinutesLimit QOSGrpJobsLimit QOSGrpMemLimit QOSGrpNodeLimit
QOSGrpSubmitJobsLimit QOSGrpWallLimit QOSMaxCpuPerJobLimit QOSMaxCpuMinutesPerJobLimit QOSMaxNodePerJobLimit
QOSMaxWallDurationPerJobLimit QOSMaxCpuPerUserLimit QOSMaxJobsPerUserLimit QOSMaxNodePerUserLimit
QOSMaxSubmitJobPerUserLimit QOSMinCpuNotSatisfied AssocGrpCpuLimit AssocGrpCPUMinutesLimit AssocGrpCPURunMinutesLimit
AssocGrpJobsLimit AssocGrpMemLimit AssocGrpNodeLimit AssocGrpSubmitJobsLimit AssocGrpWallLimit AssocMaxJobsLimit
AssocMaxCpuPerJobLimit AssocMaxCpuMinutesPerJobLimit AssocMaxNodePerJobLimit AssocMaxWallDurationPerJobLimit
AssocMaxSubmitJobLimit JobHoldMaxRequeue JobArrayTaskLimit BurstBufferResources BurstBufferStageIn BurstBufferOperation
PowerNotAvail PowerReserved AssocMaxCpuPerNode AssocGrpMemMinutes AssocGrpMemRunMinutes AssocMaxMemPerJob
AssocMaxMemPerNode AssocMaxMemMinutesPerJob AssocGrpNodeMinutes AssocGrpNodeRunMinutes AssocMaxNodeMinutesPerJob
AssocGrpEnergy AssocGrpEnergyMinutes AssocGrpGRES AssocGrpGRESMinutes AssocGrpGRESRunMinutes AssocMaxGRESPerJob
AssocMaxGRESPerNode AssocMaxGRESMinutesPerJob AssocGrpLicense AssocGrpLicenseMinutes AssocGrpBB AssocGrpBBMinutes
AssocGrpUnknown AssocGrpUnknownMinutes QOSMaxCpuPerNode QOSGrpMemoryMinutes QOSGrpMemoryRunMinutes QOSMaxMemoryPerJob
QOSMaxMemoryPerNode QOSMaxMemoryPerUser QOSMaxMemoryMinutesPerJob QOSMinMemory QOSGrpNodeMinutes QOSGrpNodeRunMinutes
QOSMaxNodeMinutesPerJob QOSMinNode QOSGrpEnergy QOSGrpEnergyMinutes QOSMaxEnergyPerUser QOSGrpGRES QOSGrpGRESMinutes
QOSGrpGRESRunMinutes QOSMaxGRESPerJob QOSMaxGRESPerNode QOSMaxGRESPerUser QOSMaxGRESMinutesPerJob QOSMinGRES
QOSGrpLicense QOSGrpLicenseMinutes QOSMaxLicensePerUser QOSGrpBB QOSGrpBBMinutes QOSMaxBBPerUser QOSGrpUnknown
QOSGrpUnknownMinutes QOSMaxUnknownPerUser DeadLine MaxBBPerAccount MaxCpuPerAccount MaxEnergyPerAccount
MaxGRESPerAccount MaxNodePerAccount MaxLicensePerAccount MaxMemoryPerAccount MaxUnknownPerAccount MaxJobsPerAccount
MaxSubmitJobsPerAccount PartitionConfig AccountingPolicy FedJobLock OutOfMemory MaxMemPerLimit AssocGrpBilling
AssocGrpBillingMinutes AssocGrpBillingRunMinutes AssocMaxBillingPerJob AssocMaxBillingPerNode
AssocMaxBillingMinutesPerJob QOSGrpBilling QOSGrpBillingMinutes QOSGrpBillingRunMinutes QOSMaxBillingPerJob
QOSMaxBillingPerNode QOSMaxBillingPerUser QOSMaxBillingMinutesPerJob MaxBillingPerAccount QOSMinBilling
ReservationDeleted ReservationInvalid Constraints AssocGrpEnergyRunMinutes AssocMaxEnergyPerJob AssocMaxEnergyPerNode
AssocMaxEnergyMinutesPerJob AssocMaxLicensePerJob AssocMaxLicenseMinutesPerJob AssocGrpLicenseRunMinutes
AssocGrpBBRunMinutes AssocMaxBBPerJob AssocMaxBBPerNode AssocMaxBBMinutesPerJob AssocGrpUnknownRunMinutes
AssocMaxUnknownPerJob AssocMaxUnknownPerNode AssocMaxUnknownMinutesPerJob QOSGrpEnergyRunMinutes QOSMaxEnergyPerJob
QOSMaxEnergyPerNode QOSMaxEnergyMinutesPerJob QOSMinEnergy QOSGrpLicenseRunMinutes QOSMaxLicensePerJob
QOSMaxLicenseMinutesPerJob QOSMinLicense QOSGrpBBRunMinutes QOSMaxBBPerJob QOSMaxBBPerNode QOSMinBB
QOSGrpUnknownRunMinutes QOSMaxUnknownPerJob QOSMaxUnknownPerNode QOSMaxUnknownMinutesPerJob QOSMinUnknown`)

// cannotArise says of reasons why they keep no stopped job from starting again. Sources: Slurm's slurm.h, job_mgr.c,
// node_scheduler.c and acct_policy.c of 24.11.
var cannotArise = map[string]string{
	"None": "the job waits for Slurm's next look", "Priority": "the job waits for its turn",
	"Resources":       "the job waits for room",
	"Prolog":          "the reason of a job that starts (WAIT_PROLOG, slurm.h)",
	"Cleaning":        "the requeue itself: the run before is ending (WAIT_CLEANING, slurm.h)",
	"BeginTime":       "a requeue sets a begin time of two minutes at most (job_requeue, job_mgr.c)",
	"JobHeldAdmin":    "a running job is not held; who holds it wants that it waits",
	"JobHeldUser":     "likewise",
	"FrontEndDown":    "front-end clusters, which Slurm 24.11 no longer has",
	"SchedDefer":      "only of jobs that ask to start at once (FAIL_DEFER, slurm.h)",
	"SystemFailure":   "of a job that failed, which does not run",
	"TimeLimit":       "likewise",
	"NonZeroExitCode": "likewise", "RaisedSignal": "likewise", "InactiveLimit": "likewise", "OutOfMemory": "likewise",
	"JobLaunchFailure":     "of a start that failed; fairbridge judges the request, not the node's health to come",
	"BurstBufferOperation": "likewise",
	"JobHoldMaxRequeue":    "counts launches that failed, not requeues (max_batch_requeue, slurm.conf)",
	"BurstBufferResources": "a running job has its burst buffer; a requeue keeps it",
	"BurstBufferStageIn":   "likewise",
	"PowerNotAvail":        "power capping, which Slurm 23.11 no longer has", "PowerReserved": "likewise",
	"ReservationDeleted": "a job in a reservation is never stopped (I15)", "ReservationInvalid": "likewise",
	"Reservation": "likewise", "FedJobLock": "a federated job is never touched (I15)",
	"MaxMemPerLimit":           "the partition's memory limit is asked at submission",
	"QOSUsageThreshold":        "not shown by scontrol: an open gap, see docs/safety.md",
	"PartitionConfig":          "a partition without nodes: NodeDown here",
	"AccountingPolicy":         "the general word for a limit of this table",
	"Constraints":              "BadConstraints here",
	"AssociationTimeLimit":     "the older word of AssocMaxWallDurationPerJobLimit",
	"AssociationJobLimit":      "of AssocMaxJobsLimit",
	"AssociationResourceLimit": "of AssocGrpGRES", "QOSJobLimit": "of QOSMaxJobsPerUserLimit",
	"QOSResourceLimit": "of QOSGrpGRES", "QOSTimeLimit": "of QOSMaxWallDurationPerJobLimit",
}

// notAsked are resources of which a job that fairbridge stops holds none: limits for one job do not concern it.
var notAsked = regexp.MustCompile(`(Max|Min|Grp)(Energy|License|BB|Unknown)(Minutes)?(PerJob|PerNode|RunMinutes|$)`)

// TestEveryPendingReason: each reason of Slurm either has a scenario in which the running job that it would keep
// back is known to be kept back, or a sentence why it does not arise.
func TestEveryPendingReason(t *testing.T) {
	if why := restart.Reason(newCase()); why != "" {
		t.Fatalf("a plain job could not start again: %s", why)
	}
	scenarios := 0
	for _, name := range pendingReasons {
		change := scenarioOf(name)
		_, excused := cannotArise[name]
		switch {
		case change == nil && !excused && !notAsked.MatchString(name) && !strings.Contains(name, "Submit"):
			t.Errorf("%s has neither a scenario nor a sentence", name)
		case change != nil && excused:
			t.Errorf("%s has a scenario and a sentence", name)
		case change != nil:
			c := newCase()
			change(&c)
			if why := restart.Reason(c); why == "" {
				t.Errorf("%s: the job counts as one that could start again", name)
			}
			scenarios++
		}
	}
	t.Logf("%d reasons, %d with a scenario", len(pendingReasons), scenarios)
	if scenarios < 80 {
		t.Errorf("only %d reasons have a scenario", scenarios)
	}
}

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// newCase is a gang of two nodes with eight GPUs each, which has run one of its two hours. Four nodes suit it; accounts
// root and bio, user ann and QOS normal have usage and no limits.
func newCase() restart.Case {
	v := &slurm.View{
		At:         noon,
		Partitions: []slurm.Partition{{Name: "gpu", State: "UP", MaxTimeMinutes: 1440, QOS: "part"}},
	}
	v.Limits = slurm.Limits{
		Associations: map[string][]slurm.AssociationLimits{
			"root": {{Account: "root"}},
			"bio":  {{Account: "bio", Parent: "root"}, {Account: "bio", User: "ann"}},
		},
		QOS: []slurm.QOSLimits{
			{Name: "normal", ByAccount: map[string][]slurm.Limit{}, ByUser: map[string][]slurm.Limit{}},
			{Name: "part"},
		},
	}
	v.Jobs = []slurm.Job{{
		ID: 1, User: "ann", UserID: 3001, Account: "bio", QOS: "normal", Partitions: []string{"gpu"}, State: "RUNNING",
		Start: noon.Add(
			-time.Hour,
		), TimeLimit: 2 * time.Hour, Nodes: slurm.ReadHosts("n[1-2]"), NodeCount: 2, IsBatch: true,
		Requeue: true, AllocatedTRES: slurm.ReadTRES("cpu=32,mem=64G,node=2,billing=32,gres/gpu=16"),
	}}
	s := &policy.Snapshot{Now: noon}
	for _, name := range []string{"n1", "n2", "n3", "n4"} {
		s.Nodes = append(
			s.Nodes,
			policy.Node{
				Name:       name,
				Partitions: []string{"gpu"},
				CPUs:       32,
				MemMB:      1 << 18,
				GPUs:       []policy.NodeDevices{{Type: "a100", Count: 8}},
			},
		)
	}
	s.Jobs = []policy.Job{{
		ID: 1, State: policy.Running, Partition: "gpu", Start: noon.Add(-time.Hour), Limit: 2 * time.Hour,
		On:  policy.Alloc{{Node: "n1", Type: "a100", Count: 8}, {Node: "n2", Type: "a100", Count: 8}},
		Ask: policy.Ask{GPUs: policy.GPUs{Count: 16}, MinNodes: 2, MaxNodes: 2, PerNode: 8, CPUs: 32, MemMB: 64 << 10},
	}}
	return restart.Case{View: v, Snapshot: s, Job: &v.Jobs[0], Planned: &s.Jobs[0], From: noon}
}

func down(c *restart.Case, names ...string) {
	for _, name := range names {
		c.Snapshot.Node(name).DownReason = "DRAIN"
	}
}

// scenarioOf returns what makes Slurm keep the running job back for the reason if it were pending; nil: nothing here.
func scenarioOf(reason string) func(*restart.Case) {
	simple := map[string]func(*restart.Case){
		"DeadLine":                 func(c *restart.Case) { c.Job.Deadline = noon.Add(2*time.Hour - time.Second) },
		"PartitionTimeLimit":       func(c *restart.Case) { c.View.Partitions[0].MaxTimeMinutes = 119 },
		"PartitionDown":            func(c *restart.Case) { c.View.Partitions[0].State = "DOWN" },
		"PartitionInactive":        func(c *restart.Case) { c.View.Partitions[0].State = "INACTIVE" },
		"AccountNotAllowed":        func(c *restart.Case) { c.View.Partitions[0].DeniedAccounts = []string{"bio"} },
		"QOSNotAllowed":            func(c *restart.Case) { c.View.Partitions[0].AllowedQOS = []string{"high"} },
		"PartitionNodeLimit":       func(c *restart.Case) { c.View.Partitions[0].MaxNodes = 1 },
		"Dependency":               func(c *restart.Case) { c.Job.Dependency.Text = "singleton" },
		"DependencyNeverSatisfied": func(c *restart.Case) { c.Job.Dependency.Text = "afterok:7(failed)" },
		"Licenses":                 func(c *restart.Case) { c.Job.Licenses = "matlab:1" },
		"JobArrayTaskLimit": func(c *restart.Case) {
			c.Job.ArrayJobID, c.Job.IsArrayTask, c.Job.ArrayMaxTasks = 1, true, 1
			c.View.Jobs = append(c.View.Jobs, slurm.Job{ID: 2, ArrayJobID: 1, IsArrayTask: true, State: "RUNNING"})
		},
		"NodeDown": func(c *restart.Case) { down(c, "n2", "n3", "n4") }, // a gang of two, one node left
		"ReqNodeNotAvail": func(c *restart.Case) {
			c.Planned.Ask.RequiredNodes = []string{"n1", "n2"}
			down(c, "n2")
		},
		"BadConstraints": func(c *restart.Case) {
			c.Planned.Ask.Features = []string{"ib"}
			down(c, "n2")
		},
		"InvalidAccount": func(c *restart.Case) {
			all := c.View.Limits.Associations
			all["bio"] = all["bio"][:1]
		},
		"InvalidQOS": func(c *restart.Case) { c.Job.QOS = "gone" },
	}
	if f := simple[reason]; f != nil {
		return f
	}
	return limitScenario(reason)
}

// limitWords maps the words of a reason to the limit that it is about. "#" stands for a resource.
var limitWords = []struct{ pattern, limit string }{
	{
		`Grp#(Limit)?$`,
		"GrpTRES",
	}, {`Grp#Minutes(Limit)?$`, "GrpTRESMins"}, {`Grp#RunMinutes(Limit)?$`, "GrpTRESRunMins"},
	{`GrpJobsLimit$`, "GrpJobs"}, {`GrpWallLimit$`, "GrpWall"}, {`AssocMaxJobsLimit$`, "MaxJobs"},
	{
		`Max#PerJob(Limit)?$`,
		"MaxTRESPJ",
	}, {`Max#PerNode$`, "MaxTRESPN"}, {`Max#MinutesPerJob(Limit)?$`, "MaxTRESMinsPJ"},
	{
		`MaxWallDurationPerJobLimit$`,
		"MaxWallPJ",
	}, {`Max#PerUser(Limit)?$`, "MaxTRESPU"}, {`MaxJobsPerUserLimit$`, "MaxJobsPU"},
	{`Max#PerAccount$`, "MaxTRESPA"}, {`MaxJobsPerAccount$`, "MaxJobsPA"}, {`Min#(NotSatisfied)?$`, "MinTRESPJ"},
}

var resourceWords = map[string]string{"Cpu": "cpu", "CPU": "cpu", "Mem": "mem", "Memory": "mem", "Node": "node",
	"GRES": "gres/gpu", "Billing": "billing", "Energy": "energy", "License": "license/matlab",
	"BB": "bb/datawarp", "Unknown": "ic/ofed"}

// limitScenario gives an association or a QOS the limit that the reason names, just too small for the job.
func limitScenario(reason string) func(*restart.Case) {
	for _, w := range limitWords {
		const resources = "(Cpu|CPU|Memory|Mem|Node|GRES|Billing|Energy|License|BB|Unknown)"
		m := regexp.MustCompile(strings.Replace(w.pattern, "#", resources, 1)).
			FindStringSubmatch(reason)
		if m == nil {
			continue
		}
		l := slurm.Limit{Name: w.limit}
		if strings.Contains(w.pattern, "#") {
			l.TRES = resourceWords[m[1]]
		}
		if notAsked.MatchString(reason) && w.limit != "GrpTRES" && w.limit != "GrpTRESMins" {
			return nil
		}
		return func(c *restart.Case) { addLimit(c, reason, tooSmall(l)) }
	}
	return nil
}

// tooSmall gives a limit the largest value that would keep the job of newCase back.
func tooSmall(l slurm.Limit) slurm.Limit {
	holds := map[string]float64{"cpu": 32, "mem": 64 << 10, "node": 2, "billing": 32, "gres/gpu": 16}[l.TRES]
	switch l.Name {
	case "MinTRESPJ":
		l.Most = holds + 1
	case "GrpJobs", "MaxJobs", "MaxJobsPU", "MaxJobsPA":
		l.Most, l.Usage = 2, 3
	case "GrpWall":
		l.Most, l.Usage = 500, 321
	case "MaxWallPJ":
		l.Most = 119
	case "MaxTRESPN":
		l.Most = holds/2 - 1
	case "MaxTRESPJ":
		l.Most = holds - 1
	case "MaxTRESMinsPJ":
		l.Most = holds*120 - 1
	case "GrpTRESMins":
		l.Most, l.Usage = holds*180+9, 10
	case "GrpTRESRunMins":
		l.Most, l.Usage = holds*120+9, holds*60+10 // an hour of the job's own, ten minutes of others
	default:
		l.Most, l.Usage = holds+9, holds+10 // lowered below the usage
	}
	return l
}

// addLimit adds a limit at the place that the reason names.
func addLimit(c *restart.Case, reason string, l slurm.Limit) {
	q := &c.View.Limits.QOS[0]
	switch {
	case strings.HasPrefix(reason, "Assoc"):
		c.View.Limits.Associations["bio"][0].Limits = []slurm.Limit{l}
	case strings.HasSuffix(l.Name, "PU"):
		q.ByUser["3001"] = []slurm.Limit{l} // 22.05 tells the number alone
	case strings.HasSuffix(l.Name, "PA"):
		q.ByAccount["bio"] = []slurm.Limit{l}
	default:
		q.Limits = []slurm.Limit{l}
	}
}

// TestRoomForALimit: a limit that just lets the job start again does not keep it back.
func TestRoomForALimit(t *testing.T) {
	for _, l := range []slurm.Limit{
		{Name: "GrpTRES", TRES: "gres/gpu", Most: 16, Usage: 16},
		{Name: "GrpTRESMins", TRES: "gres/gpu", Most: 16*180 + 10, Usage: 10},
		{Name: "GrpTRESRunMins", TRES: "gres/gpu", Most: 16*120 + 10, Usage: 16*60 + 10},
		{Name: "MaxJobs", Most: 1, Usage: 1},
		{Name: "MaxWallPJ", Most: 120}, {Name: "MaxTRESPJ", TRES: "gres/gpu", Most: 16},
		{Name: "MaxTRESPN", TRES: "gres/gpu", Most: 8},
		{Name: "GrpSubmitJobs", Most: 1, Usage: 5}, {Name: "MinTRESPJ", TRES: "gres/gpu", Most: 16},
		{Name: "GrpWall", Most: 500, Usage: 320},
	} {
		c := newCase()
		c.View.Limits.Associations["root"][0].Limits = []slurm.Limit{l}
		if why := restart.Reason(c); why != "" {
			t.Errorf("%+v: %s", l, why)
		}
	}
}

// TestCannotKnow: a limit that is not known, or cannot be read, keeps the job back, and so does not knowing the limits.
func TestCannotKnow(t *testing.T) {
	for name, change := range map[string]func(*restart.Case){
		"unknown limit": func(c *restart.Case) {
			c.View.Limits.Associations["root"][0].Limits = []slurm.Limit{{Name: "MaxNewPU", Most: 1000}}
		},
		"unread limits": func(c *restart.Case) { c.View.UnreadLimitsReason = "no scontrol" },
		"no time limit": func(c *restart.Case) {
			c.Job.TimeLimit = 0
			c.View.Limits.Associations["root"][0].Limits = []slurm.Limit{{Name: "GrpWall", Most: 1e9}}
		},
		"other nodes for a constraint": func(c *restart.Case) {
			c.Job.Features = slurm.ReadFeatures("[rack1|rack2]")
			down(c, "n1")
		},
		"more GPUs than a quota": func(c *restart.Case) {
			c.Planned.Ask, c.GPUs = policy.Ask{GPUs: policy.GPUs{Count: 16}}, 32
			quota := slurm.Limit{Name: "GrpTRES", TRES: "gres/gpu", Most: 31, Usage: 16}
			c.View.Limits.Associations["bio"][0].Limits = []slurm.Limit{quota}
		},
	} {
		c := newCase()
		if change(&c); restart.Reason(c) == "" {
			t.Errorf("%s: the job counts as one that could start again", name)
		}
	}
}

// TestOtherNodes: a gang of which a node drains starts again on others that suit it.
func TestOtherNodes(t *testing.T) {
	c := newCase()
	down(&c, "n1")
	if why := restart.Reason(c); why != "" {
		t.Error(why)
	}
}
