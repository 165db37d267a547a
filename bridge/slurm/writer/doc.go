// Package writer is the only one that writes to Slurm. It knows the form of
// every kind of edit and its body for every API version, and nothing else.
//
// Bodies are built from an allow-list of fields, never from a struct: a field
// that is sent without being meant releases, resets or clears. There is no way
// to kill a job from here, none to release a job that somebody else holds, and
// no requeue without the Incomplete flag, which keeps a job that has finished
// from being run again. Only the script of a running batch job can be signalled,
// by a signal of a closed list: to Slurm an unknown or empty one means kill.
//
// Right before each write the STOP file and the permission of the leader are
// looked at. Writes are sent once and never retried.
package writer
