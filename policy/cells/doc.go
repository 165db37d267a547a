// Package cells divides a cluster into cells, and gives each tenant a virtual cluster of cells
// that it has whenever it wants them: as many GPUs as close together as if they were its own.
//
// A cell is a GPU, or so many buddies, cells of one size below it: a pair behind a switch, a node,
// a rack. A tenant's virtual cells are bound to physical ones while jobs use them, by buddy
// allocation, which never takes a large cell apart where a smaller one does. So all that is
// promised and not in use can always be carved from what is free. What is not in use runs
// opportunistic gangs, which leave when it is wanted.
//
// H. Zhao, Z. Han, Z. Yang, Q. Zhang, F. Yang, L. Zhou, M. Yang, F. C. M. Lau, Y. Wang, Y. Xiong,
// B. Wang, "HiveD: Sharing a GPU Cluster for Deep Learning with Guarantees", OSDI 2020. The
// rules are those of its published scheduler, quirks included.
//
// A Cluster is a value in memory that its caller changes by one call at a time; it knows
// no clock, no chance and no jobs of package policy.
package cells
