package localjournal

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

var t0 = time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)

func lease(id int64, s bridge.IntentState) bridge.Intent {
	return bridge.Intent{
		ID: id, Cluster: "c1", Epoch: 3, Policy: "fifo", State: s, Made: t0, NotAfter: t0.Add(time.Hour),
		Edit:   slurm.Edit{Run: slurm.Run{Job: id, Submit: 5}, Kind: slurm.EditLease, Until: t0.Add(time.Hour), Tasks: 1, Why: "others are ahead"},
		Before: bridge.JobBefore{Begin: t0, State: "PENDING"},
	}
}

func opened(t *testing.T, path string) *Journal {
	t.Helper()
	j, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	return j
}

func read(t *testing.T, path string) []bridge.Intent {
	t.Helper()
	j := &Journal{path: path, intentByID: map[int64]bridge.Intent{}, now: time.Now} // another may have it open
	if _, err := j.readFile(); err != nil {
		t.Fatal(err)
	}
	if err := j.DamageError(); err != nil {
		t.Error(err)
	}
	list, err := j.Intents(t.Context(), "c1", t0, t0.Add(-time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestTheLastLineOfAnIntentCounts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j := opened(t, path)
	other := lease(9, bridge.IntentObserved)
	other.Cluster = "c2"
	closed := lease(3, bridge.IntentVoid)
	closed.Closed = t0.Add(-2 * time.Hour)
	for _, in := range []bridge.Intent{lease(2, bridge.IntentPlanned), lease(1, bridge.IntentPlanned), lease(1, bridge.IntentSent), closed, other, lease(1, bridge.IntentObserved)} {
		if err := j.WriteIntents(in); err != nil {
			t.Fatal(err)
		}
	}
	want := []bridge.Intent{lease(1, bridge.IntentObserved), lease(2, bridge.IntentPlanned)}
	if diff := cmp.Diff(want, read(t, path)); diff != "" {
		t.Errorf("read by another process (-want +got):\n%s", diff)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v; want 0600", info.Mode(), err)
	}
}

// A crash can cut the file off anywhere: every whole line before the cut must
// be read, and the file must go on being usable.
func TestACrashAtEveryByte(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "journal")
	j := opened(t, path)
	if err := j.WriteIntents(lease(1, bridge.IntentSent), lease(2, bridge.IntentSent), lease(3, bridge.IntentSent)); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for n := range whole {
		cut := filepath.Join(dir, "cut")
		if err := os.WriteFile(cut, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		again, err := Open(cut)
		if err != nil {
			t.Fatalf("cut at %d: %v", n, err)
		}
		if err := errors.Join(again.WriteIntents(lease(7, bridge.IntentSent)), again.Close()); err != nil {
			t.Fatal(err)
		}
		if got, want := len(read(t, cut)), strings.Count(string(whole[:n]), "\n")+1; got != want {
			t.Fatalf("cut at %d: %d intents, want %d", n, got, want)
		}
	}
}

func TestDamagedLinesAreNamedAndSkipped(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j := opened(t, path)
	_ = j.WriteIntents(lease(1, bridge.IntentSent))
	_ = j.Close()
	b, _ := os.ReadFile(path)
	if err := os.WriteFile(path, append([]byte("{\"id\": garbage\n"), b...), 0o600); err != nil {
		t.Fatal(err)
	}
	again := opened(t, path)
	if err := again.DamageError(); err == nil || !strings.Contains(err.Error(), path+":1:") {
		t.Errorf("damage: %v, want it to name line 1", err)
	}
	if list, _ := again.Intents(t.Context(), "c1", t0, t0); len(list) != 1 {
		t.Errorf("%d intents, want the whole one", len(list))
	}
}

func TestOneWriterAtATime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j := opened(t, path)
	if _, err := Open(path); !errors.Is(err, ErrInUse) {
		t.Errorf("a second writer: %v, want ErrInUse", err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	opened(t, path)
}

func TestALongFileIsShortened(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j := opened(t, path)
	j.maxBytes, j.now = 20_000, func() time.Time { return t0.Add(48 * time.Hour) }
	live := lease(1, bridge.IntentObserved)
	if err := j.WriteIntents(live); err != nil {
		t.Fatal(err)
	}
	for i := range int64(200) {
		in := lease(i+2, bridge.IntentExpired)
		in.Closed = t0
		if err := j.WriteIntents(in); err != nil {
			t.Fatal(err)
		}
		if j.sizeBytes > 20_000 {
			t.Fatalf("the file grew to %d bytes", j.sizeBytes)
		}
		j.maxBytes = 20_000
	}
	j.now = time.Now
	_ = j.WriteIntents(lease(500, bridge.IntentSent))
	list := read(t, path)
	if len(list) < 2 || list[0].ID != 1 || list[len(list)-1].ID != 500 {
		t.Errorf("%d intents, want the live one and the last one among them", len(list))
	}
	if left, _ := filepath.Glob(path + ".new"); len(left) != 0 {
		t.Error("a half-made file was left behind")
	}
}

func TestReleaseWithoutADatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j := opened(t, path)
	_ = j.WriteIntents(lease(41, bridge.IntentObserved))
	out, err := j.StoreIntents(t.Context(), nil, []bridge.Intent{lease(0, ""), lease(0, "")})
	if err != nil || out[0].ID != 42 || out[1].ID != 43 || out[0].State != bridge.IntentPlanned {
		t.Errorf("intend gave %+v, %v; want ids 42 and 43", out, err)
	}
	out[0].State = bridge.IntentObserved
	if err := j.UpdateIntent(t.Context(), out[0]); err != nil {
		t.Fatal(err)
	}
	if list := read(t, path); len(list) != 3 || list[1].State != bridge.IntentObserved {
		t.Errorf("read %+v", list)
	}
}

// deadDB fails every call, as a database that is gone.
type deadDB struct{ Database }

var errGone = errors.New("gone")

func (deadDB) UpdateIntent(context.Context, bridge.Intent) error { return errGone }

func (deadDB) StoreIntents(context.Context, *bridge.Cycle, []bridge.Intent) ([]bridge.Intent, error) {
	return nil, errGone
}

func TestTeeWhileTheDatabaseIsGone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j := opened(t, path)
	tee := &Tee{DB: deadDB{}, Local: j}
	if _, err := tee.StoreIntents(t.Context(), nil, []bridge.Intent{lease(0, "")}); !errors.Is(err, errGone) {
		t.Errorf("intend: %v", err)
	}
	if err := tee.UpdateIntent(t.Context(), lease(1, bridge.IntentSent)); !errors.Is(err, errGone) {
		t.Errorf("mark sent: %v", err)
	}
	if list := read(t, path); len(list) != 0 {
		t.Errorf("noted %+v, although nothing may be sent", list)
	}
	if err := tee.UpdateIntent(t.Context(), lease(1, bridge.IntentAcked)); !errors.Is(err, errGone) {
		t.Errorf("mark acked: %v", err)
	}
	if list := read(t, path); len(list) != 1 || list[0].State != bridge.IntentAcked {
		t.Errorf("noted %+v, want the outcome of what was sent", list)
	}
}
