// Package fragment measures the free GPUs of a cluster that waiting jobs cannot use.
//
// By Q. Weng, L. Yang, Y. Yu, W. Wang, X. Tang, G. Yang, L. Zhang, "Beware of Fragmentation: Scheduling
// GPU-Sharing Workloads with Fragmentation Gradient Descent", USENIX ATC 2023, fragmentation is what a task drawn
// from the workload could not use of what is free: on a node where it does not fit, all that is free there. Here the
// workload is the jobs that wait, each task of an array one of them, and a node is of use to a gang
// if the gang could start now with a part of it there. GPUs of a type that no waiting job
// would take count as unwanted, not as fragments: no better placement would let a job have them.
package fragment
