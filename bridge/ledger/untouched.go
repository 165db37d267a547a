package ledger

import (
	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

// Rewritten says what a person wrote into the field of an intent whose outcome
// is open: the field shows neither the intent's value nor what stood there
// before. "" when it shows one of them, or is not shown.
func Rewritten(in *bridge.Intent, j *slurm.Job) string {
	if Whose(in, j) != Theirs || untouched(in, j) {
		return ""
	}
	return Foreign(in, j)
}

// untouched reports whether the field shows what stood there before the intent.
func untouched(in *bridge.Intent, j *slurm.Job) bool {
	switch FieldOf(in.Edit.Kind) {
	case Begin:
		return j.Eligible.Equal(in.Before.Eligible)
	case NiceBy:
		return j.NiceKnown && j.Nice == in.Before.Nice
	case Required:
		return j.Required.Same(in.Before.Required.Names)
	case Excluded:
		return j.Excluded.Same(in.Before.Excluded.Names)
	}
	return true // a priority drifts
}
