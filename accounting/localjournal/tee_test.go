package localjournal_test

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"fairbridge/accounting/dbtest"
	"fairbridge/accounting/localjournal"
	"fairbridge/accounting/stores"
	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

// A lease is set with both at hand, given back while the database is gone, and
// the database hears of it before the next cycle.
func TestTheDatabaseCatchesUp(t *testing.T) {
	ctx := t.Context()
	db := stores.New(dbtest.NewDB(t))
	file, err := localjournal.Open(filepath.Join(t.TempDir(), "journal"))
	check(t, err)
	t.Cleanup(func() { _ = file.Close() })
	tee := &localjournal.Tee{DB: db, Local: file}
	epoch, _, _, err := db.Lead(ctx, "c1", "a", time.Minute)
	check(t, err)
	now := time.Now()
	intents := make([]bridge.Intent, 3)
	for i := range intents {
		intents[i] = bridge.Intent{
			Cluster: "c1", Epoch: epoch, Policy: "fifo", Made: now, NotAfter: now.Add(time.Hour),
			Edit: slurm.Edit{Run: slurm.Run{Job: int64(i + 1), Submit: 5}, Kind: slurm.EditLease, Until: now.Add(time.Hour), Tasks: 1},
		}
	}
	intents, err = tee.StoreIntents(ctx, nil, intents)
	check(t, err)
	for _, s := range []bridge.IntentState{bridge.IntentSent, bridge.IntentObserved} {
		for i := range intents[:2] {
			intents[i].State, intents[i].Sent = s, now
			check(t, tee.UpdateIntent(ctx, intents[i]))
		}
	}
	gone := intents[0] // what a release finds, working from the file
	gone.State, gone.Closed, gone.Error = bridge.IntentExpired, now, "superseded"
	check(t, file.UpdateIntent(ctx, gone))
	behind := intents[1] // the file missed a mark
	behind.State = bridge.IntentAcked
	check(t, file.UpdateIntent(ctx, behind))
	for _, want := range []int{1, 0} {
		told, err := tee.UpdateDatabase(ctx, "c1")
		check(t, err)
		if told != want {
			t.Errorf("the database was told of %d intents, want %d", told, want)
		}
	}
	live, err := db.Intents(ctx, "c1", now, now.Add(time.Hour))
	check(t, err)
	if len(live) != 2 || live[0].ID != intents[1].ID || live[0].State != bridge.IntentObserved || live[1].State != bridge.IntentPlanned {
		t.Errorf("the database has %+v, want the second observed and the third planned", live)
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestALentFileIsTakenBack: while the database is out of reach, expire gives a
// node list back from the file; the daemon's next look at the ledger knows.
func TestALentFileIsTakenBack(t *testing.T) {
	ctx := t.Context()
	db := stores.New(dbtest.NewDB(t))
	path := filepath.Join(t.TempDir(), "journal")
	file, err := localjournal.Open(path)
	check(t, err)
	t.Cleanup(func() { _ = file.Close() })
	tee := &localjournal.Tee{DB: db, Local: file}
	epoch, _, _, err := db.Lead(ctx, "c1", "a", time.Minute)
	check(t, err)
	now := time.Now()
	list, err := tee.StoreIntents(ctx, nil, []bridge.Intent{{
		Cluster: "c1", Epoch: epoch, Policy: "fifo", Made: now,
		Edit: slurm.Edit{Run: slurm.Run{Job: 1, Submit: 5}, Kind: slurm.EditRequireNodes, Nodes: []string{"n1"}, Tasks: 1},
	}})
	check(t, err)
	pin := list[0]
	for _, pin.State = range []bridge.IntentState{bridge.IntentSent, bridge.IntentObserved} {
		pin.Sent = now
		check(t, tee.UpdateIntent(ctx, pin))
	}
	for i, ok := range []bool{true, false, false} { // three cycles, 40 s apart
		check(t, tee.NoteDatabaseReached(ok, now.Add(time.Duration(i)*40*time.Second), time.Minute))
		if _, err := localjournal.Open(path); !errors.Is(err, localjournal.ErrInUse) {
			t.Fatalf("after cycle %d the file is free: %v", i, err)
		}
	}
	check(t, tee.NoteDatabaseReached(false, now.Add(2*time.Minute), time.Minute))
	other, err := localjournal.Open(path)
	check(t, err)
	if _, err := tee.Intents(ctx, "c1", now, now); !errors.Is(err, localjournal.ErrInUse) {
		t.Errorf("while another has the file: %v", err)
	}
	if err := file.WriteIntents(pin); err == nil {
		t.Error("a lent file was written")
	}
	pin.State, pin.Closed, pin.Error = bridge.IntentExpired, now, "superseded"
	check(t, other.UpdateIntent(ctx, pin))
	check(t, other.Close())
	live, err := tee.Intents(ctx, "c1", now, now.Add(time.Hour))
	check(t, err)
	if len(live) != 0 {
		t.Errorf("the ledger still holds %+v", live)
	}
	check(t, file.WriteIntents(pin))
}

// TestWhatADatabaseLostIsPutBack: a node list of ours is written after the backup from which the database is put back
// behind our back. It is in the ledger again at the next look, under a number of its own, and once only.
func TestWhatADatabaseLostIsPutBack(t *testing.T) {
	ctx := t.Context()
	server := dbtest.NewDB(t)
	db := stores.New(server)
	file, err := localjournal.Open(filepath.Join(t.TempDir(), "journal"))
	check(t, err)
	t.Cleanup(func() { _ = file.Close() })
	tee := &localjournal.Tee{DB: db, Local: file}
	epoch, _, _, err := db.Lead(ctx, "c1", "a", time.Minute)
	check(t, err)
	now := time.Now()
	states := []bridge.IntentState{
		bridge.IntentObserved, bridge.IntentAcked, bridge.IntentExpired, bridge.IntentPlanned,
	}
	var list []bridge.Intent
	for i := range states {
		list = append(list, bridge.Intent{
			Cluster: "c1", Epoch: epoch, Policy: "fifo", Made: now, NotAfter: now.Add(time.Hour),
			Edit: slurm.Edit{
				Run: slurm.Run{Job: int64(i + 1), Submit: 5}, Kind: slurm.EditRequireNodes,
				Nodes: []string{"n1"}, Tasks: 1,
			},
		})
	}
	list, err = tee.StoreIntents(ctx, nil, list)
	check(t, err)
	for i, s := range states[:3] {
		for _, list[i].State = range []bridge.IntentState{bridge.IntentSent, s} {
			list[i].Sent = now
			check(t, tee.UpdateIntent(ctx, list[i]))
		}
	}
	_, err = server.Exec(ctx, `delete from fairbridge.intents;
		alter table fairbridge.intents alter column id restart with 1`)
	check(t, err)
	for look := range 3 {
		live, err := tee.Intents(ctx, "c1", now, now.Add(time.Hour))
		check(t, err)
		if len(live) != 2 || live[0].State != bridge.IntentObserved || live[1].State != bridge.IntentAcked {
			t.Fatalf("look %d: the ledger has %+v", look, live)
		}
		if live[0].Edit.Run.Job != 1 || live[0].Edit.Nodes[0] != "n1" || live[0].Sent.IsZero() {
			t.Fatalf("look %d: it was put back as %+v", look, live[0])
		}
		if _, err := tee.UpdateDatabase(ctx, "c1"); err != nil {
			t.Error(err)
		}
	}
	after, err := tee.StoreIntents(ctx, nil, []bridge.Intent{{ // numbers go on behind those that were put back
		Cluster: "c1", Epoch: epoch, Policy: "fifo", Made: now,
		Edit: slurm.Edit{Run: slurm.Run{Job: 9, Submit: 5}, Kind: slurm.EditLease, Until: now.Add(time.Hour), Tasks: 1},
	}})
	check(t, err)
	gone := list[0]
	gone.ID, gone.State, gone.Closed = after[0].ID-2, bridge.IntentExpired, now
	check(t, tee.UpdateIntent(ctx, gone))
	live, err := tee.Intents(ctx, "c1", now, now.Add(time.Hour))
	check(t, err)
	if len(live) != 2 || live[0].Edit.Run.Job != 2 || live[1].Edit.Run.Job != 9 {
		t.Errorf("after one was given back: %+v", live)
	}
}
