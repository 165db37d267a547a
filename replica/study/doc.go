// Package study answers what would have happened: policies run on a Scenario
// (jobs and the cluster they meet) and become figures, tables and pages.
//
// An Experiment runs policies of package policyset on scenarios, exactly (by a
// clock of package clocks, most of them on exact) or through the daemon's loop and a
// simulated Slurm (slurmrun); what came of a
// run is a measure.Run; package paired sets those of a policy beside a baseline's on
// the same jobs, and a Block is one Experiment of a sweep. The jobs are those of package workload: read from
// histories of other clusters (trace), made up (generate), or a site's own past
// (replay, which also says how near a simulation comes to what happened).
// Package published has the results of others on the same jobs, chart draws,
// evaluation writes docs/evaluation.md, whatif asks a policy about smaller
// requests of one waiting job; golden and reproduce are tests against papers.
package study
