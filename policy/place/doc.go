// Package place chooses among the free devices: close together on the network
// (Consolidated), or gangs of one size on servers of their own (Affinity).
//
// Gandiva places by Affinity. Consolidated is for systems to come that place below
// one switch: HiveD's cells, and Synergy, which consolidates as well.
package place
