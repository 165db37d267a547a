// Package tellingtest tries the loop, on a simulated Slurm, with texts in the jobs' own
// admin_comment. It is all tests.
package tellingtest
