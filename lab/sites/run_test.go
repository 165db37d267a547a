package sites_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"fairbridge/lab/keptruns"
	"fairbridge/lab/sites"
	"fairbridge/replica/policyset"
)

// TestRunsOfAMadeSite runs a policy on two windows of a made log, and reads the runs back the second time. Slurm alone
// is 1 in every ratio, every start of the policy is counted, and no one loses under Slurm alone.
func TestRunsOfAMadeSite(t *testing.T) {
	site := sites.Site{Name: "made", File: "log.swf", Processors: 16}
	folder := writeLog(t, 1000)
	runs, err := keptruns.Open(t.TempDir(), "test", false)
	if err != nil {
		t.Fatal(err)
	}
	policies, err := policyset.ParsePolicies("sjf", false)
	if err != nil {
		t.Fatal(err)
	}
	made := 0
	try := func() (figures, losers string) {
		o := sites.Options{
			LogFolder: folder, Policies: policies, Runs: runs, ReportProgress: func(string) { made++ },
			Windows: []sites.Window{{Site: site, FirstJob: 500, JobCount: 60}, {Site: site, FirstJob: 600, JobCount: 60}},
		}
		all, err := sites.Run(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		var f, l, page bytes.Buffer
		rows := sites.AllRows(o.Policies)
		if err := sites.WriteFigures(&f, all, rows); err != nil {
			t.Fatal(err)
		}
		if err := sites.WriteLosers(&l, all, rows); err != nil {
			t.Fatal(err)
		}
		if err := sites.WritePage(&page, all, rows); err != nil {
			t.Fatal(err)
		}
		if want := "\n| slurm | 1.00 | 1.00 | "; !strings.Contains(page.String(), want) {
			t.Errorf("the page lacks %q:\n%s", want, &page)
		}
		return f.String(), l.String()
	}
	figures, losers := try()
	for _, want := range []string{
		"made\tslurm\tmean_wait_s\t1\t0\n", "all\tslurm, backfill to the longest limit\tmean_slowdown\t", "made\tslurm, arrivals jittered\t",
		"all\tsjf\tstarts_unseen\t", "all\tsjf, true run times\tlongest_wait_s\t",
	} {
		if !strings.Contains(figures, want) {
			t.Errorf("the figures lack %q:\n%s", want, figures)
		}
	}
	if !strings.Contains(losers, "made\tslurm\tnone\n") || made != 10 {
		t.Errorf("%d runs; losers:\n%s", made, losers)
	}
	if again, _ := try(); again != figures {
		t.Error("the runs that were kept give other figures")
	}
}
