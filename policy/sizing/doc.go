// Package sizing is the one home for how many GPUs elastic jobs get. A policy that chooses sizes
// finds here which jobs have a range and what sizes they may have (range.go, legal.go), what a
// restart costs and when growing is worth it (RestartRule, LifeFactor), and ways from the sizes it
// wants to what the engine carries out:
//
//   - a Draft tries sizes on the pool as the engine will, and Growth fills what is left over;
//   - AssignSizes settles sizes that were found by counting devices;
//   - a Contest divides the GPUs of each type among the jobs that compete for them;
//   - Share chooses sizes and nodes together, by what a Judge says that each is worth.
//
// How many devices of each type there are, engine.Round.ListCapacities counts.
package sizing
