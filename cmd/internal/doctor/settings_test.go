package doctor

import (
	"slices"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/scontrol"
)

// good is a slurm.conf that nothing is wrong with, as scontrol prints it.
const good = `Configuration data as of 2026-11-21T08:00:00
AccountingStorageEnforce = associations
AccountingStorageTRES   = cpu,mem,energy,node,billing,gres/gpu,gres/gpu:a100
AuthInfo                = cred_expire=30,socket=/run/munge/munge.socket.2
JobRequeue              = 1
JobSubmitPlugins        = (null)
PreemptType             = preempt/none
PriorityFlags           =
PriorityType            = priority/multifactor
SchedulerParameters     = (null)
SchedulerType           = sched/backfill
`

func TestGoodSettings(t *testing.T) {
	for _, release := range []string{"", "22.05.8", "24.11.5", "26.05.5"} {
		var r Report
		r.checkSettings(slurmSettings{valueByKey: scontrol.ParseConfig([]byte(good)), orderLever: bridge.LeverAuto, slurmRelease: release})
		for _, f := range r {
			if f.Level != LevelOK {
				t.Errorf("Slurm %s: %+v", release, f)
			}
		}
		if len(r) == 0 {
			t.Errorf("Slurm %s: nothing was said", release)
		}
	}
}

func TestSettings(t *testing.T) {
	old := slurmSettings{slurmRelease: "22.05.8", apiVersion: "v0.0.38"}
	mid := slurmSettings{slurmRelease: "24.11.5", apiVersion: "v0.0.42", hasSiteFactor: true}
	late := slurmSettings{slurmRelease: "26.05.5", apiVersion: "v0.0.45", hasSiteFactor: true}
	tests := []struct {
		name  string
		line  string // replaces the line of the same key
		lever bridge.Lever
		slurm slurmSettings
		level Level
		want  string
	}{
		{"nice, which scontrol shows", "", bridge.LeverNice, old, LevelOK, "multifactor"},
		{"auto on an old release: nice", "", bridge.LeverAuto, old, LevelOK, "multifactor"},
		{"priority by choice", "", bridge.LeverPriority, late, LevelWarn, "a nice that people set while a number of ours stands is lost"},
		{"nice where it is", "", bridge.LeverNice, mid, LevelOK, "multifactor"},
		{"site_factor where REST has none", "", bridge.LeverSiteFactor, old, LevelFail, "cannot write site_factor"},
		{"site_factor", "", bridge.LeverSiteFactor, late, LevelOK, "multifactor"},
		{"priority/basic", "PriorityType = priority/basic", bridge.LeverAuto, late, LevelFail, "PriorityType is priority/basic"},
		{"priority/basic on an old release", "PriorityType = priority/basic", bridge.LeverAuto, old, LevelFail, "PriorityType is priority/basic"},
		{"priority/basic, lever priority", "PriorityType = priority/basic", bridge.LeverPriority, late, LevelOK, "as priority itself"},
		{"priority/basic, Slurm not read", "PriorityType = priority/basic", bridge.LeverAuto, slurmSettings{}, LevelFail, "priority/basic"},

		{"no delay given", "AuthInfo = (null)", "", late, LevelWarn, "cannot start for 120 seconds"},
		{"long credentials", "AuthInfo = cred_expire=300", "", late, LevelWarn, "cannot start for 300 seconds"},
		{"short credentials", "AuthInfo = cred_expire=6", "", old, LevelOK, "after 6 seconds"},
		{"requeue_delay", "SchedulerParameters = bf_interval=10,requeue_delay=3", "", late, LevelOK, "after 3 seconds"},
		{"requeue_delay too long", "SchedulerParameters = requeue_delay=600", "", late, LevelWarn, "cannot start for 600 seconds"},
		{"requeue_delay before its time", "SchedulerParameters = requeue_delay=3", "", mid, LevelWarn, "Slurm 24.11.5 ignores requeue_delay"},

		{"no GPUs counted", "AccountingStorageTRES = cpu,mem,energy,node,billing", "", late, LevelFail, "does not count GPUs"},
		{"only a type counted", "AccountingStorageTRES = cpu,gres/gpu:a100", "", late, LevelFail, "does not count GPUs"},
		{"limits clear the age", "AccountingStorageEnforce = associations,limits,qos", "", late, LevelWarn, "age zero"},
		{"Slurm preempts", "PreemptType = preempt/qos", "", late, LevelWarn, "Slurm preempts too (preempt/qos)"},
		{"no backfill", "SchedulerType = sched/builtin", "", late, LevelWarn, "sched/builtin"},
		{"not requeueable", "JobRequeue = 0", "", late, LevelWarn, "not requeueable"},
		{"a submit plugin", "JobSubmitPlugins = lua", "", late, LevelWarn, "job_submit plugin (lua)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := tt.slurm
			c.valueByKey, c.orderLever = scontrol.ParseConfig([]byte(good+tt.line+"\n")), tt.lever // the last line of a key counts
			if c.orderLever == "" {
				c.orderLever = bridge.LeverAuto
			}
			var r Report
			r.checkSettings(c)
			others := 0
			found := false
			for _, f := range r {
				hit := strings.Contains(f.Text, tt.want)
				found = found || hit && f.Level == tt.level && (f.Level == LevelOK || f.Fix != "")
				if !hit && f.Level != LevelOK {
					others++
				}
			}
			if !found || others > 0 {
				t.Errorf("want %s %q with a fix, and nothing else wrong; got %+v", tt.level, tt.want, r)
			}
		})
	}
}

func TestOverrideIsSaid(t *testing.T) {
	for strength, said := range map[bridge.OrderStrength]bool{bridge.StrengthWithinQOS: false, bridge.StrengthBlend: false, bridge.StrengthOverride: true} {
		var r Report
		r.checkSettings(slurmSettings{valueByKey: scontrol.ParseConfig([]byte(good)), orderLever: bridge.LeverAuto, orderStrength: strength})
		found := slices.ContainsFunc(r, func(f Finding) bool {
			return f.Level == LevelWarn && strings.Contains(f.Text, "wins over the priorities of QOS") && strings.Contains(f.Fix, "within_qos")
		})
		if found != said {
			t.Errorf("%s: %+v", strength, r)
		}
	}
}

func TestAccrueAlways(t *testing.T) {
	var r Report
	text := good + "AccountingStorageEnforce = limits\nPriorityFlags = CALCULATE_RUNNING,ACCRUE_ALWAYS\n"
	r.checkSettings(slurmSettings{valueByKey: scontrol.ParseConfig([]byte(text)), orderLever: bridge.LeverAuto})
	for _, f := range r {
		if f.Level != LevelOK {
			t.Errorf("%+v", f)
		}
	}
}

func TestOlder(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"24.11.5", "25.11", true}, {"25.05.1", "25.11", true}, {"25.11.0", "25.11", false}, {"25.11", "25.11", false},
		{"26.05.5", "25.11", false}, {"9.11", "25.11", true}, {"100.1", "25.11", false},
	} {
		if got := isOlderRelease(tt.a, tt.b); got != tt.want {
			t.Errorf("older(%s, %s) = %v", tt.a, tt.b, got)
		}
	}
}

func TestNiceNeedsScontrolWhereRESTHidesIt(t *testing.T) {
	for _, tt := range []struct {
		lever bridge.Lever
		view  slurm.View
		fails bool
	}{
		{bridge.LeverAuto, slurm.View{APIVersion: "v0.0.38"}, true},
		{bridge.LeverNice, slurm.View{APIVersion: "v0.0.39"}, true},
		{bridge.LeverPriority, slurm.View{APIVersion: "v0.0.38"}, false},
		{bridge.LeverAuto, slurm.View{APIVersion: "v0.0.40", CanWriteSiteFactor: true}, false},
		{bridge.LeverNice, slurm.View{APIVersion: "v0.0.42", CanWriteSiteFactor: true}, false},
	} {
		var r Report
		tt.view.Cluster = "lab" // whose it is is another question
		r.checkSlurmConf(t.Context(), []string{"/nowhere/scontrol"}, bridge.Order{Lever: tt.lever}, "lab", &tt.view)
		if r.HasFailure() != tt.fails {
			t.Errorf("%s on %s: %+v", tt.lever, tt.view.APIVersion, r)
		}
	}
}

func TestConfRunsScontrol(t *testing.T) {
	for _, tt := range []struct {
		name  string
		argv  []string
		level Level
		want  string
	}{
		{"as it should be", []string{"sh", "-c", "printf '%s' '" + good + "'; test \"$1 $2\" = 'show config'", "scontrol"}, LevelOK, "multifactor"},
		{"not installed", []string{"/nowhere/scontrol"}, LevelSkip, "no such file"},
		{"no controller", []string{"sh", "-c", "echo slurm_load_ctl_conf error: Unable to contact >&2; exit 1"}, LevelSkip, "(slurm_load_ctl_conf error: Unable to contact)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var r Report
			r.checkSlurmConf(t.Context(), tt.argv, bridge.Order{Lever: bridge.LeverAuto}, "lab", nil)
			if len(r) == 0 || r[0].Level != tt.level || !strings.Contains(r[0].Text, tt.want) {
				t.Errorf("got %+v, want %s %q", r, tt.level, tt.want)
			}
		})
	}
}

// TestWhichCluster: scontrol, slurmrestd and the configuration must mean the same.
func TestWhichCluster(t *testing.T) {
	argv := []string{"sh", "-c", `test "$2" = config && echo "ClusterName = lab"`, "scontrol"}
	for _, tt := range []struct {
		name, cluster string
		view          *slurm.View
		level         Level
		text          string
	}{
		{"as it should be", "lab", &slurm.View{Cluster: "lab"}, "", ""},
		{"scontrol of another", "mine", &slurm.View{Cluster: "mine"}, LevelFail, `scontrol speaks for cluster "lab", the configuration for "mine"`},
		{"REST does not tell, and there is no job", "lab", &slurm.View{Release: "22.05.8"}, LevelWarn, "there is no job to prove"},
		{"REST does not tell, and scontrol does not know the job", "lab", &slurm.View{Release: "22.05.8", Jobs: []slurm.Job{{ID: 1, State: "PENDING", Submit: time.Unix(1, 0)}}}, LevelFail, "scontrol does not prove it"},
	} {
		var r Report
		r.checkSlurmConf(t.Context(), argv, bridge.Order{Lever: bridge.LeverPriority}, tt.cluster, tt.view)
		i := slices.IndexFunc(r, func(f Finding) bool { return f.Subject == "cluster" })
		if (i < 0) != (tt.level == "") || i >= 0 && (r[i].Level != tt.level || !strings.Contains(r[i].Text, tt.text)) {
			t.Errorf("%s: %+v", tt.name, r)
		}
	}
}
