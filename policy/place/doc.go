// Package place chooses among the free devices: close together on the network
// (Consolidated), gangs of one size on servers of their own (Affinity), or where the
// turn of a job says (Allocated).
//
// Gandiva places by Affinity. Consolidated is for systems to come that place below
// one switch: HiveD's cells, and Synergy, which consolidates as well. Allocated is for
// those that bind devices themselves: HiveD and Pollux.
package place
