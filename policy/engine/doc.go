// Package engine makes plans out of the answers of stages.
//
// A Pipeline asks each of its stages one question about a Round, puts the jobs in
// line, and walks the line once, first to last. What every stage may look at is a
// Round with an Entry for each job. The stages themselves are in the packages
// beside this one (order, share, backfill, preempt, …) and in package paper.
package engine
