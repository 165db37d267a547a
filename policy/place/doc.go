// Package place chooses among the free devices: close together on the network
// (Consolidated), gangs of one size on servers of their own (GangSizeAffinity), or where the
// assignment of a job says (OnAssignedDevices), or spread over the emptiest nodes
// (EmptiestFirst), or on the node nearest to an ideal one (Nearest, as MLFS does).
//
// Gandiva places by GangSizeAffinity, Tiresias and Optimus by EmptiestFirst where they are to
// do as in the simulator of Pollux. Consolidated is for systems to come that place below
// one switch: HiveD's cells, and Synergy, which consolidates as well. OnAssignedDevices is for
// those that bind devices themselves: HiveD and Pollux.
package place
