// Package answers makes every answer of package api from the record, the last cycle of each partition,
// which is held in memory, and Slurm, for one viewer. What the viewer may not see is not in it, and
// a private job is answered as one that does not exist.
package answers
