package learner

import (
	"context"
	"encoding/json"
	"fmt"
)

// Checkpoint is a training that may go on.
type Checkpoint struct {
	Policy   string          `json:"policy"`
	Settings string          `json:"settings"`
	Steps    int             `json:"steps"` // done
	IsDone   bool            `json:"done"`  // there is no step left
	State    json.RawMessage `json:"state"`
}

// Progress is told of a training; both functions may be nil.
type Progress struct {
	Report func(text string)
	// Keep stores a checkpoint after each step. A training that is cut off goes on from the last.
	Keep func(c *Checkpoint) error
}

// Train teaches a policy, from a checkpoint of the same settings where one is given, and returns the weights. Errors are those
// of simulations, of a checkpoint that is of another training, or that the context ended.
func (l *Learner) Train(ctx context.Context, s Settings, from *Checkpoint, p Progress) (weights []byte, err error) {
	c := Checkpoint{Policy: l.Policy, Settings: s.describe()}
	if from != nil {
		if from.Policy != c.Policy || from.Settings != c.Settings {
			return nil, fmt.Errorf("going on with the training of %s (%s): the checkpoint is of %s (%s); give the same settings, or begin anew", c.Policy, c.Settings, from.Policy, from.Settings)
		}
		c = *from
	}
	t, err := l.New(s, c.State)
	if err != nil {
		return nil, fmt.Errorf("beginning the training of %s: %w", l.Policy, err)
	}
	for !c.IsDone {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("training of %s was stopped after %d steps: %w", l.Policy, c.Steps, err)
		}
		var said string
		if said, c.IsDone, err = t.Step(); err != nil {
			return nil, err
		}
		c.Steps++
		if p.Report != nil && said != "" {
			p.Report(said)
		}
		if err := p.keep(&c, t); err != nil {
			return nil, err
		}
	}
	return t.Weights()
}

func (p *Progress) keep(c *Checkpoint, t Training) (err error) {
	if p.Keep == nil {
		return nil
	}
	if c.State, err = t.State(); err != nil {
		return fmt.Errorf("keeping a checkpoint after step %d: %w", c.Steps, err)
	}
	return p.Keep(c)
}
