package demo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"fairbridge/cmd/fairbridge-demo/workday"
	"fairbridge/gear/slurmtest"
	"fairbridge/replica/sim"
)

// simulatedCluster is a slurmrestd in front of a simulated cluster. Its time is virtual: it
// passes only in Wait, and at once.
type simulatedCluster struct {
	server   *slurmtest.Server
	confFile string  // file of its settings, for a replay
	keyFile  string  // file of the key that tokens are signed with
	speed    float64 // of the day
}

// startSimulatedCluster starts one, with Slurm's default settings.
func startSimulatedCluster(dir string, seed uint64, begin time.Time) (*simulatedCluster, error) {
	w, err := sim.New(sim.Config{
		Seed: int64(seed), ClusterName: "sim", Start: begin, Nodes: sim.UniformNodes(workday.NodeCount, "a100", workday.GPUsPerNode),
		Accounts: newSimAccounts(), Users: []sim.User{
			{Name: "alice", DefaultAccount: "research"}, {Name: "bob", DefaultAccount: "teaching"}, {Name: "carol", DefaultAccount: "vision"},
			{Name: "fairbridge", IsOperator: true},
		},
	})
	if err != nil {
		return nil, fmt.Errorf("making a simulated cluster: %w", err)
	}
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	s := &simulatedCluster{speed: virtualPace.speed, keyFile: filepath.Join(dir, "jwt.key"), confFile: filepath.Join(dir, "slurm.conf")}
	if err := os.WriteFile(s.keyFile, key, 0o600); err != nil {
		return nil, fmt.Errorf("writing the key of the simulated Slurm: %w", err)
	}
	if err := os.WriteFile(s.confFile, nil, 0o600); err != nil {
		return nil, fmt.Errorf("writing the settings of the simulated Slurm: %w", err)
	}
	s.server, err = slurmtest.Start(slurmtest.Config{World: w, SigningKey: key, Speed: 0})
	return s, err
}

// minVirtualDayAge is how long ago a virtual day begins at least: longer than it takes.
const minVirtualDayAge = (workday.Hours + 2) * time.Hour

// virtualDayBegin is when a day begins that is played in virtual time now: as much ago as it
// takes, so that nothing on it is in the future, and on the hour. Slurm's backfill counts in
// minutes of the clock, so that a day that began at another second would be another day.
func virtualDayBegin(now time.Time) time.Time { return now.Add(-minVirtualDayAge).Truncate(time.Hour) }

func newSimAccounts() []sim.Account {
	return []sim.Account{{Name: "research", Shares: workday.WeightsByAccount["research"]}, {Name: "teaching", Shares: workday.WeightsByAccount["teaching"]}, {Name: "vision", Shares: workday.WeightsByAccount["vision"]}}
}

func (s *simulatedCluster) Title() string {
	release := ""
	s.server.WithWorld(func(w *sim.World) { release = w.Version() })
	return "simulated Slurm " + release
}

func (s *simulatedCluster) Access() clusterAccess {
	return clusterAccess{
		Cluster: "sim", URL: s.server.URL(), SlurmConfFile: s.confFile, // its release requeues through REST
		Scontrol: []string{"sh", "-c", withoutAccounting, "scontrol"},
		Auth:     "key_file: " + strconv.Quote(s.keyFile) + "\n  user: fairbridge",
	}
}

// withoutAccounting is a scontrol that knows no more than that no account has limits.
const withoutAccounting = `test "$3" = assoc_mgr && echo No associations && echo No QOS`

func (s *simulatedCluster) Submit(_ context.Context, j *workday.Job) (err error) {
	s.server.WithWorld(func(w *sim.World) {
		_, err = w.Submit(sim.JobSpec{
			Name: j.Name, User: j.User, MinNodes: j.NodeCount, GPUsPerNode: j.GPUsPerNode, MemMBPerNode: 100 * int64(j.GPUsPerNode), TimeLimit: j.TimeLimit,
			ArraySize: j.ArrayTasks, Comment: j.SlurmComment(s.speed), WorkTime: j.WorkTime, Checkpoints: true, CheckpointInterval: time.Second,
		})
	})
	if err != nil {
		return fmt.Errorf("submitting %s: %w", j.Name, err)
	}
	return nil
}

func (s *simulatedCluster) Now() (t time.Time) {
	s.server.WithWorld(func(w *sim.World) { t = w.Now() })
	return t
}

func (s *simulatedCluster) Wait(ctx context.Context, d time.Duration) error {
	s.server.WithWorld(func(w *sim.World) { w.Advance(w.Now().Add(d)) })
	return ctx.Err()
}

func (s *simulatedCluster) Queue(context.Context) (list []queuedTask, err error) {
	s.server.WithWorld(func(w *sim.World) {
		for _, j := range w.Jobs() {
			q := queuedTask{JobID: j.ID, JobName: j.Name, IsRunning: j.State == "RUNNING"}
			if j.State != "PENDING" && !q.IsRunning {
				continue
			}
			if q.IsRunning {
				if q.Nodes = j.Nodes.Names; j.Nodes.UnreadReason != "" {
					err = errors.New(j.Nodes.UnreadReason)
					return
				}
			}
			tasks := 1
			if j.IsUnsplitArray() {
				if tasks = j.ArrayTasks.Count; j.ArrayTasks.UnreadReason != "" {
					err = errors.New(j.ArrayTasks.UnreadReason)
					return
				}
			}
			for range tasks {
				list = append(list, q)
			}
		}
	})
	return list, err
}

func (s *simulatedCluster) Records(context.Context) (list []workday.RunRecord, err error) {
	s.server.WithWorld(func(w *sim.World) {
		for _, g := range w.EndedRuns() {
			list = append(list, workday.RunRecord{
				JobID: g.JobID, Name: g.Name, TaskIndex: max(int(g.TaskID), 0), User: g.User, Account: g.Account, GPUs: g.GPUCount,
				Submit: g.SubmitTime, Start: g.Start, End: g.End, State: g.EndState,
			})
		}
	})
	return list, nil
}

func (s *simulatedCluster) Close() error { return s.server.Close() }
