// Package restart answers one question about a job that runs: which of Slurm's reasons would keep it back if it
// were pending now? A job that a reason would keep back is not stopped, warned, moved or resized, since Slurm
// would not let it start again. Where the answer cannot be known, the job counts as kept back.
package restart
