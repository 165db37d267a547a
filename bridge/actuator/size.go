package actuator

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// setGPUsRow changes the number of GPUs of an elastic job that waits, and their type. It is sent ahead
// of what lets the job start; a job that starts before it does so on what its owner asked.
var setGPUsRow = EditKindRow{
	Kind: slurm.EditSetGPUs, Field: gpusField, NeededMode: bridge.ModeElastic, SendPhase: PhaseSize,
	ShowsEffect: valueShownFunc(gpusField), WantedEdits: wantedSizeEdits, Check: checkGPUCount, Undo: undoSize,
}

// gpusField is the number of GPUs a job asks for, in all, and their type.
var gpusField = &FieldRow{
	Name: slurm.FieldGPUs,
	ValueOwnerOf: func(in *bridge.Intent, j *slurm.Job) ValueOwner {
		is := requestedGPUs(j)
		if in.Edit.Kind == slurm.EditSetShards && j.GresPerNode.UnreadReason == "" {
			return ownerUsIf(requestedShards(j) == in.Edit.Value)
		}
		if _, err := j.RequestedGPUs(); err != nil || j.RequestedTRES.Text == "" && is.Count == 0 {
			return OwnerHidden
		}
		return ownerUsIf(is.Count == in.Edit.Value && (in.Edit.Text == "" || is.Type == in.Edit.Text))
	},
	ForeignChange: func(in *bridge.Intent, j *slurm.Job) string {
		ours := Size{in.Edit.Value, in.Edit.Text}.String()
		if in.Edit.Kind == slurm.EditSetShards {
			ours = policy.FormatCount(int(in.Edit.Value), "shard")
		}
		return fmt.Sprintf("it asks for %s now, we had set %s", describeAsk(j), ours)
	},
	GivesBack: func(e *slurm.Edit, own *bridge.JobBefore) bool {
		return own != nil && e.Kind == slurm.EditSetGPUs && own.GPUs == e.Value && own.GPUType == e.Text
	},
	ChangeSince: func(noted *bridge.JobBefore, j *slurm.Job) string {
		if is := requestedGPUs(j); is.Count != noted.GPUs || noted.GPUType != "" && is.Type != noted.GPUType {
			return fmt.Sprintf("it asks for %s now", describeAsk(j))
		}
		return ""
	},
	FillBeforeValues: func(b *bridge.JobBefore, in *bridge.Intent, _ int64) {
		if in != nil {
			b.GPUs, b.GPUType = in.Before.GPUs, in.Before.GPUType
		}
	},
	NoteOwnersValue: func(b *bridge.JobBefore, j *slurm.Job) {
		is := requestedGPUs(j)
		b.GPUs, b.GPUType = is.Count, is.Type
	},
	// More GPUs than its owner asked, or others, may keep a job waiting.
	OutliveLimit: OutlivesBriefly,
}

// Size is what a job may be given of GPUs.
type Size struct {
	Count int64
	Type  string // "": the one its owner asks for, or any
}

// String prints "4 a100" or "4 GPUs".
func (s Size) String() string { return policy.GPUs{Count: int(s.Count), Type: s.Type}.String() }

// requestedGPUs returns what GPUs the job's record asks for in all, none where it cannot be read.
func requestedGPUs(j *slurm.Job) Size {
	gpus, err := j.RequestedGPUs()
	if err != nil {
		return Size{}
	}
	return Size{int64(gpus.Count), gpus.Type}
}

// undoSize gives the owner's own number of GPUs back, of the type that he asked for.
func undoSize(e *slurm.Edit, in *bridge.Intent, j *slurm.Job, _ time.Time) bool {
	e.Value, e.Text = in.Before.GPUs, in.Before.GPUType
	return j.IsPending() && in.Before.GPUs > 0
}

// wantedSizeEdits gives jobs that are to start on other GPUs than their owners asked those, and what
// the owner asked back to those that no longer are.
func wantedSizeEdits(g *PartitionGoal) []slurm.Edit {
	var edits []slurm.Edit
	for _, dec := range g.decisionsReaching(gpusField) {
		j := g.View.Job(int64(dec.Job))
		in := g.standingIntent(j, gpusField)
		size, wanted := g.wantedSize(j, dec)
		if in != nil && in.Edit.Kind != slurm.EditSetGPUs || g.sharesGPUs(dec) {
			continue // it starts on shards, or is given its GPU back first
		}
		switch {
		case in != nil && g.isSizeInVain(dec):
			edits = g.appendUndoEdit(edits, undoSize, in, j, sizeInVain)
		case wanted && size != requestedGPUs(j):
			edits = append(edits, g.editForJob(j, slurm.Edit{Kind: slurm.EditSetGPUs, Value: size.Count, Text: size.Type, Why: dec.Why}))
		case !wanted && in != nil:
			edits = g.appendUndoEdit(edits, undoSize, in, j, "it is not started on those GPUs: what its owner asked is given back")
		}
	}
	return edits
}

// wantedSize is what a waiting job should ask for; ok is false where that is what its owner asked. One
// that was requeued for another size keeps that until it starts, unless the plan starts it on yet
// another: Slurm may start it between two cycles.
func (g *PartitionGoal) wantedSize(j *slurm.Job, dec policy.Decision) (size Size, ok bool) {
	p := g.Snapshot.Job(dec.Job)
	asked := Size{int64(p.Ask.GPUs.Count), p.Ask.GPUs.Type}
	if size = (Size{int64(dec.GPUs), dec.On.FirstType()}); dec.Verb != policy.Start {
		size = g.SizeToResumeOn[j.ID]
	}
	if size.Type = cmp.Or(size.Type, asked.Type); asked.Type == "" {
		size.Type = "" // a node list says which
	}
	resized := size.Count != asked.Count
	switch {
	case g.isSizeInVain(dec), size == asked, size.Count == 0:
		return Size{}, false
	case resized && (p.MaxGPUs == 0 || size.Count < int64(p.MinGPUs) || size.Count > int64(p.MaxGPUs)):
		return Size{}, false
	case size.Type != asked.Type && !slices.Contains(p.GPUTypes, size.Type):
		return Size{}, false
	}
	return size, true
}

// sizeInVain is why a number of GPUs of ours is taken back from a job that Slurm keeps from starting.
const sizeInVain = "Slurm does not start it on that many GPUs: its own number is given back"

// isSizeInVain reports whether Slurm keeps the job from starting, by a limit or for a reason it does
// not tell. Our number of GPUs, or their type, may be why: a QOS may allow what the owner asked and no
// more, or no less.
func (g *PartitionGoal) isSizeInVain(dec policy.Decision) bool {
	p := g.Snapshot.Job(dec.Job)
	return p.HeldReason != "" || p.StuckReason != ""
}

// WasSizeInVain reports whether a number of GPUs of ours was taken back because the job did not start on it.
func WasSizeInVain(e *slurm.Edit) bool { return e.Kind == slurm.EditSetGPUs && e.Why == sizeInVain }
