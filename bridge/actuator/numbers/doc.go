// Package numbers turns the order of a line of jobs into priorities: as few of them
// new as possible, as near to Slurm's own as possible. It is arithmetic, and knows
// neither jobs nor Slurm.
package numbers
