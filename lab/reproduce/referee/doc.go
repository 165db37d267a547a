// Package referee holds the exact clock and the reservation of policy easy against published figures of EASY
// backfilling on five logs of real machines, job by job.
package referee
