// Package admission promises jobs that they will be done by their deadlines, and plans in which leases, equal spans of
// time, they run for that, as late as can be. A job is promised its deadline where it and all that were promised theirs
// before find room; what the plans leave is for others. It counts devices by GPU type: where gangs find their nodes is not seen here.
//
// Plans are kept from decision to decision, so that what was promised holds as long as run times and devices are as they were thought to be.
package admission
