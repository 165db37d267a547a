package decode

import (
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/internal/jsonscan"
)

var rpcCountSchema = newRecordSchema(
	optionalField(sharedStringField("user", rpcNamePtr)),
	optionalField(sharedStringField("message_type", rpcNamePtr)),
	nonNegativeField("count", func(c *slurm.RPCCount) *int64 { return &c.Count }),
	durationField("total_time", time.Microsecond, func(c *slurm.RPCCount) *time.Duration { return &c.TotalTime }),
)

func rpcNamePtr(c *slurm.RPCCount) *string { return &c.Name }

// rpcCountsField makes the reader of a list of counts. What is no list, or no count, is left out.
func rpcCountsField(name string, at func(*slurm.Diag) *[]slurm.RPCCount) recordField[slurm.Diag] {
	return recordField[slurm.Diag]{name, func(s *replyInput, d *slurm.Diag) valueStatus {
		if s.SkipSpace() != '[' {
			return s.SkipWrongKind()
		}
		s.EnterBracket('[')
		for s.NextItem(']') {
			switch {
			case len(*at(d)) >= s.limits.ListItems:
				s.Fail("more than %d counts of requests: %w", s.limits.ListItems, jsonscan.ErrOverLimit)
			case s.SkipSpace() != '{':
				s.SkipValue()
			default:
				readRPCCount(s, at(d))
			}
		}
		return statusFound
	}}
}

// readRPCCount reads one count, and keeps it if it is whole.
func readRPCCount(s *replyInput, out *[]slurm.RPCCount) {
	var c slurm.RPCCount
	good, _ := rpcCountSchema.readFromKeyNumber(s, &c, maxExpectedKeys)
	if want := rpcCountSchema.fieldSetOf("count", "total_time"); want.without(good).isEmpty() && c.Name != "" {
		*out = append(*out, c)
	}
}
