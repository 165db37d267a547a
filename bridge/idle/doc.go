// Package idle decides which job is stopped because its GPUs do no work, where its partition says so and its owner
// allows it: only one of which every GPU was measured to do no work for all of the time, and only for a job that
// waits and then has room. It is pure: what probes read in, a stop out; the gate decides whether it may be.
//
// What is idle it defines as fairbridge_v1.idle_gpus does, by which reports and reminders go, or more strictly: a test
// of accounting/reminders keeps all that is idle here idle there. What acts does not read the database: a daemon
// that begins knows of no GPU that it is idle.
package idle
