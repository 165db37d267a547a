// Package belief is what is thought of how much of its GPUs each job uses. Counters err, come late and
// fail; a policy that puts jobs beside each other by a single reading takes noise for news. Here
// readings and profiles pass through a linear-Gaussian filter first: what a job uses wanders slowly, every
// reading counts by how sure it is, and what a whole node reads tells of a job that has no reading.
//
// It serves Symphony (S. S. Banerjee, S. Jha, Z. T. Kalbarczyk, R. K. Iyer, "Inductive-bias-driven
// Reinforcement Learning for Efficient Schedules in Heterogeneous Clusters", ICML 2020), which infers hidden
// utilisation from noisy counters before it decides, and any policy that packs by utilisation.
package belief
