package cycle

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"fairbridge/bridge"
	"fairbridge/bridge/invariant"
	"fairbridge/policy"
)

// newCycleRecord returns the record of the evaluation, unsigned.
func (e *PartitionResult) newCycleRecord(epoch int64) *bridge.Cycle {
	took := map[string]string{}
	for step, d := range e.DurationByStep {
		took[step] = d.String()
	}
	return &bridge.Cycle{
		Cluster: e.Snapshot.Cluster, Seq: e.Snapshot.Seq, Epoch: epoch, At: e.Snapshot.Now,
		Partition: e.Partition.Name, Mode: e.Partition.Mode, Policy: e.Partition.Policy, Params: e.Partition.Params,
		Plan: e.Plan, Refused: e.RecordedRefusals(), StepTimes: took,
	}
}

// RecordedRefusals are the refusals, and as refusals of the whole plan why its edits are not
// sent: whoever asks why nothing changes in Slurm finds both in the record.
func (e *PartitionResult) RecordedRefusals() []bridge.Refusal {
	refusals := slices.Clone(e.Refusals)
	for _, id := range slices.Sorted(maps.Keys(e.OtherOrderReasonByJob)) {
		if e.Snapshot.Job(policy.JobID(id)) != nil {
			why := "something else changes its priority too: " + e.OtherOrderReasonByJob[id]
			refusals = append(refusals, bridge.Refusal{Job: policy.JobID(id), Invariant: invariant.OnlyOurValues, Why: why})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(e.LeftAloneByJob)) {
		if e.Snapshot.Job(policy.JobID(id)) != nil {
			refusals = append(refusals, bridge.Refusal{Job: policy.JobID(id), Invariant: invariant.OnlyOurValues, Why: e.LeftAloneByJob[id].LeftAloneText()})
		}
	}
	for _, why := range e.WithheldReasons {
		refusals = append(refusals, bridge.Refusal{Why: why})
	}
	return refusals
}

// addSnapshotAndDigests adds what it takes to decide the cycle again, and to know whether that
// came out the same.
func addSnapshotAndDigests(c *bridge.Cycle, e *PartitionResult) error {
	var err error
	if c.Snapshot, err = json.Marshal(e.Snapshot); err != nil {
		return fmt.Errorf("writing the snapshot of partition %s: %w", e.Partition.Name, err)
	}
	c.SnapshotDigest = bridge.DigestText(c.Snapshot)
	if c.PolicyPlanDigest, err = bridge.DigestPlan(e.PolicyPlan); err != nil {
		return fmt.Errorf("writing the plan of partition %s: %w", e.Partition.Name, err)
	}
	return nil
}
