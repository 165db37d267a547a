package train

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"fairbridge/policy/paper/dl2"
)

// Trial is how weights did on a workload they did not learn from.
type Trial struct {
	Seed           int64   `json:"seed"`
	EqualSeconds   float64 `json:"equal_s"`   // mean completion time with equal shares
	TeacherSeconds float64 `json:"teacher_s"` // by the teacher
	NetworkSeconds float64 `json:"network_s"` // by the weights
}

// TryWeights tries weights on workloads of the seeds from 1, which no training draws.
func TryWeights(ctx context.Context, w *dl2.Weights, on Workload, seeds int) ([]Trial, error) {
	trials := []Trial{}
	for seed := range int64(seeds) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		x := Trial{Seed: seed + 1}
		for _, by := range []struct {
			chooser dl2.Chooser
			seconds *float64
		}{{dl2.EqualShares{}, &x.EqualSeconds}, {dl2.ShortestFirst{}, &x.TeacherSeconds}, {dl2.NewScores(&w.Network), &x.NetworkSeconds}} {
			var err error
			if *by.seconds, err = MeanJCT(on, x.Seed, by.chooser); err != nil {
				return nil, err
			}
		}
		trials = append(trials, x)
	}
	return trials, nil
}

// WriteWeights writes weights as policy dl2 reads them.
func WriteWeights(to io.Writer, w *dl2.Weights) error {
	raw, err := json.MarshalIndent(w, "", " ")
	if err != nil {
		return fmt.Errorf("encoding weights: %w", err)
	}
	_, err = to.Write(append(raw, '\n'))
	return err
}
