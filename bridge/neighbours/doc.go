// Package neighbours judges by what probes see whether jobs that share GPUs hurt each other, says which of
// them is to leave, and for how long they are kept apart. It is pure.
//
// What can be seen of a job beside others is little: its own reports of its speed, where it makes any; the share of the
// time in which its processes compute, where the driver tells processes apart; and how full the memory is. The
// first is the strongest. A job of which none is known is never found to be hurt.
package neighbours
