// Package learn predicts how long jobs run from how long earlier ones ran. A
// Model is a value: it is fitted from finished runs, stored as JSON and asked
// for the distribution of a job's run time, from which follow the remaining
// time and its quantiles given how long the job has run already.
//
// The distribution is a chain of histograms on a logarithmic scale, from all
// jobs to the runs of one user's job of one name and size. Each level that knows
// n runs like the job takes a share of MaxShare·n/(n+PriorWeight) of the chain and leaves
// the rest to the more general levels before it, so few runs say little and many
// say all that runs like them ever said. Shares and smoothing are fitted to the
// history itself: they are those under which past run times, predicted at their
// start from what had ended by then, were most likely.
package learn
