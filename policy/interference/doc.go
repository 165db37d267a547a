// Package interference says how fast jobs are that share a GPU, each relative to its speed
// alone there: from their utilisation or their class, by what was published.
//
// The figures are facts of the 1,388 pairs that were measured on GPUs of 24 GB and published with
// Q. Hu et al., "Lucid: A Non-intrusive, Scalable and Interpretable Scheduler for Deep Learning
// Training Jobs", ASPLOS 2023. No more than two jobs at once were measured: of more, each is slowed
// by each of the others as if that were the only one.
package interference
