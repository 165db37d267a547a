// Package predict says what a job will need: the rungs of the information
// ladder, from what the job itself reports down to what it has received so
// far.
package predict
