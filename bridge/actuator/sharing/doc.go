// Package sharing says which waiting jobs start on shards of a GPU, so that others can run beside them, and on how
// many. Slurm chooses the GPU of a node, and it counts shards and nothing else: so jobs get
// shards by the memory they use and how busy they keep a GPU, and only where every job that Slurm could
// put beside them is one whose owner accepts theirs. It is pure.
package sharing
