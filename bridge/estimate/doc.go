// Package estimate says when jobs will start and end: it lays out the time to come some dozens
// of times, each time with other run times drawn from what is predicted of every job, and
// starts the waiting jobs in Slurm's order as Slurm would: those that fit, and past a job that
// does not fit only those whose time limits keep out of its way. The quantiles of what comes of it
// are the estimate. Jobs that are yet to be submitted are not in it; Calibration widens and shifts
// the quantiles by how far earlier estimates of the same site were off.
package estimate
