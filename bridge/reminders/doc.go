// Package reminders decides whose owners are told that GPUs of theirs are idle now, when, and in which
// words: in steps (after half an hour, two hours, …), each once for a job, within bounds for an owner and
// in all. What is idle it does not define: that is fairbridge_v1.idle_gpus, by which report idle-now goes too.
//
// It is pure. Who is told is written down before it is sent: accounting/reminders; what sends is
// cmd/internal/remind.
package reminders
