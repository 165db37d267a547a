package doctor

import (
	"strings"
	"testing"
	"time"

	"fairbridge/accounting/dbtest"
	"fairbridge/accounting/journal"
	"fairbridge/accounting/stores"
	"fairbridge/bridge"
	"fairbridge/cmd/settings"
)

// TestStarts warns where plans reach Slurm seldom, of enough starts, where anything is sent.
func TestStarts(t *testing.T) {
	few := journal.StartCounts{Wanted: 18, Against: 30, Unseen: 52}
	for _, c := range []struct {
		counts journal.StartCounts
		mode   bridge.Mode
		level  Level
		says   string
	}{
		{few, bridge.ModeRank, LevelWarn, "partition gpu: of 100 starts in 7 days the last plan wanted 18 %"},
		{few, bridge.ModeShare, LevelWarn, "18 %"},
		{few, bridge.ModeObserve, LevelOK, "no plan saw; nothing is sent in mode observe"},
		{journal.StartCounts{Wanted: 18, Against: 30, Unseen: 51}, bridge.ModeRank, LevelOK, "of 99 starts"},
		{journal.StartCounts{Wanted: 50, Against: 25, Unseen: 25}, bridge.ModeRank, LevelOK, "wanted 50 %"},
	} {
		f := findStarts("gpu", c.mode, &c.counts, 20*time.Second)
		const fix = "batch_sched_delay=20,sched_min_interval=20000000,bf_interval=40"
		if f.Subject != "starts" || f.Level != c.level || !strings.Contains(f.Text, c.says) ||
			strings.Contains(f.Fix, fix) != (c.level == LevelWarn) || (f.Fix == "") != (c.level == LevelOK) {
			t.Errorf("%+v in mode %s: %+v", c.counts, c.mode, f)
		}
	}
}

// TestStartsOfPartitions names the configured partitions of which starts are known.
func TestStartsOfPartitions(t *testing.T) {
	db, now := stores.New(dbtest.NewDB(t)), time.Now()
	dbtest.Exec(t, db.DB, `insert into fairbridge.job_runs values ('c', 1, 0, 0, $1, '', 'j', 'u', 'a', '', 'gpu', 0, 0,
		'RUNNING', '', '1h', 1, $1, null, false, true, $1, $1, 0)`, now.Add(-time.Hour))
	dbtest.Exec(t, db.DB, `insert into fairbridge.cycles (cluster, partition, seq, epoch, at, mode, policy, params, digest,
		plan_digest, decisions, refused, pushed, took)
		values ('c', 'gpu', 1, 1, $1, 'rank', 'fifo', '{}', '', '', 0, '[]', 0, '{}')`, now.Add(-time.Hour-time.Minute))
	f := &settings.File{Cluster: "c", Interval: 30 * time.Second}
	f.Partitions = []settings.Partition{{Name: "new", Mode: bridge.ModeRank}, {Name: "gpu", Mode: bridge.ModeRank}}
	got := checkStarts(t.Context(), db, f, now)
	const want = "partition gpu: of 1 start in 7 days"
	if len(got) != 1 || got[0].Level != LevelOK || !strings.HasPrefix(got[0].Text, want) ||
		!strings.HasSuffix(got[0].Text, "100 % no plan saw") {
		t.Errorf("%+v", got)
	}
	db.DB.Close()
	if got = checkStarts(t.Context(), db, f, now); len(got) != 1 || got[0].Level != LevelSkip {
		t.Errorf("without a database: %+v", got)
	}
}
