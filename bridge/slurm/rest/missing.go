package rest

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"fairbridge/bridge/slurm"
)

// questions is how many jobs, in units of Poll.Few, are asked about at most when
// the whole list leaves them out. That happens after outages, and when the list
// is filtered or cut; it may cost something.
const questions = 5

// missing completes a whole list by the jobs that it leaves out although nobody
// saw them end. Slurm is asked about each: one that it does not know is gone, and
// noted in the view as such. One that it knows proves that the list is not whole.
// Those that there were too many of to ask keep their last record, and are asked
// about by the next polls.
func (c *Client) missing(ctx context.Context, v *slurm.View, old, next model) error {
	var ids []int64
	for id, j := range old.jobs {
		if next.jobs[id] == nil && !ended(j) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	asked := ids[:min(len(ids), questions*c.poll.Few)]
	found, err := c.some(ctx, asked)
	if err != nil {
		return err
	}
	v.AddGone(unknown(asked, found)...)
	maps.Copy(next.jobs, found)
	left := ids[len(asked):]
	for _, id := range left {
		next.jobs[id] = old.jobs[id]
	}
	switch there := len(asked) - len(unknown(asked, found)); {
	case there > 0:
		v.Cut = fmt.Sprintf("the list of %d jobs leaves out %d that Slurm knows (the first of %d asked about): it is filtered or cut; has our Slurm user lost its rights?", len(next.jobs)-there-len(left), there, len(ids))
	case len(left) > 0:
		v.Cut = fmt.Sprintf("the list of jobs leaves out %d that were not seen to end; %d of them are yet to be asked about, one by one", len(ids), len(left))
	}
	return nil
}

// unknown returns those of the ids asked about that Slurm does not know.
func unknown(asked []int64, found map[int64]*slurm.Job) []int64 {
	var ids []int64
	for _, id := range asked {
		if found[id] == nil {
			ids = append(ids, id)
		}
	}
	return ids
}
