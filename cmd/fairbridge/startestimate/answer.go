package startestimate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"fairbridge/accounting/estimates"
	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/bridge/study/whatif"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/internal/system"
	"fairbridge/policy"
)

// whenAnswer is the answer of `fairbridge when --json`.
type whenAnswer struct {
	Partition string      `json:"partition"`
	Mode      bridge.Mode `json:"mode"`
	Policy    string      `json:"policy"`
	AsOf      time.Time   `json:"as_of"` // the last cycle, at which the job counts as submitted
	whatif.JobStart
	Score      *estimates.Score  `json:"score"`               // how good such estimates were; null: none is known yet
	Sooner     []whatif.JobStart `json:"sooner"`              // smaller and shorter requests that start materially sooner
	LimitError string            `json:"unchecked,omitempty"` // why the partition's limits could not be read

	params string // of the policy
}

// partitionTimeout is how long Slurm may take to answer what a partition's limits are.
const partitionTimeout = 10 * time.Second

// estimateSubmission says when a job would start that is submitted as of the last cycle of a partition.
func estimateSubmission(ctx context.Context, s *system.System, f *whenFlags, limit time.Duration) (*whenAnswer, error) {
	c, err := s.DB.ReadCycle(ctx, s.File.Cluster, f.partition, 0)
	if err != nil {
		return nil, err
	}
	snapshot, err := c.ParseSnapshot()
	if err != nil {
		return nil, err
	}
	if now := time.Now(); now.Sub(c.At) > s.File.MaxCycleAge() {
		return nil, fmt.Errorf("the last cycle of partition %s was %s ago, too long to say when a job would start: is the daemon running? systemctl status fairbridge", f.partition, output.FormatAge(now, c.At))
	}
	j := whatif.NewRequest(snapshot, f.partition, policy.GPUs{Type: f.gpuType, Count: f.gpus}, f.nodes, limit)
	j.User, j.Account = f.user, f.account
	if j.Account == "" {
		j.Account = chooseAccount(snapshot, j.User)
	}
	if err := whatif.CheckRequest(snapshot, &j); err != nil {
		return nil, cli.NewUsageError(err)
	}
	a := &whenAnswer{Partition: f.partition, AsOf: c.At, Mode: c.Mode, Policy: c.Policy, params: c.Params}
	refusal, err := readRefusal(ctx, s, &j)
	if err != nil {
		a.LimitError = err.Error()
	}
	if refusal != "" {
		return nil, cli.NewUsageError(errors.New(refusal))
	}
	return a, a.estimate(ctx, s, snapshot, j)
}

// estimate adds when the job would start, and what would start sooner.
func (a *whenAnswer) estimate(ctx context.Context, s *system.System, snapshot *policy.Snapshot, j policy.Job) error {
	calibration, err := s.DB.ReadCalibration(ctx, s.File.Cluster, a.Partition, snapshot.Now)
	if err != nil {
		return err
	}
	model, err := s.DB.ReadNewestModel(ctx, s.DB.DB, s.File.Cluster)
	if err != nil {
		return fmt.Errorf("reading what was learnt of run times: %w", err)
	}
	i := slices.IndexFunc(s.Loop.Partitions, func(p bridge.Partition) bool { return p.Name == a.Partition })
	q := whatif.Submission{Snapshot: snapshot, Policy: s.Loop.Partitions[i].PolicyOf(a.Policy, a.params), Calibration: calibration, PredictTimeLeft: model.PredictTimeLeft}
	if a.JobStart, err = q.EstimateStart(j); err != nil {
		return err
	}
	if a.Sooner, err = q.FindSoonerRequests(&a.JobStart); err != nil {
		return err
	}
	a.Score, err = s.DB.Score(ctx, s.File.Cluster, a.Partition, snapshot.Now, a.Start)
	return err
}

// readRefusal asks Slurm for its partitions, and says why the job's would not take it; "": it would. An
// account that is not known is not checked, nor is the QOS.
func readRefusal(ctx context.Context, s *system.System, j *policy.Job) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, partitionTimeout)
	defer cancel()
	cluster, err := s.Cluster.Connect(ctx)
	if err != nil {
		return "", err
	}
	list, err := cluster.ReadPartitions(ctx)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(list, func(p slurm.Partition) bool { return p.Name == j.Partition })
	if i < 0 {
		return "Slurm shows no partition " + j.Partition, nil
	}
	p := list[i]
	p.AllowedQOS, p.DeniedQOS = nil, nil
	if j.Account == "" {
		p.AllowedAccounts, p.DeniedAccounts = nil, nil
	}
	return p.RefusalReason(&slurm.Job{TimeLimit: j.Limit, Account: j.Account}), nil
}
