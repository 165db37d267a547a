// Package restconn carries requests to slurmrestd and sorts its answers into
// classes of errors. It knows nothing of jobs.
//
// Reading is a method of Conn and open to all who hold one. Writing is the
// function Post, which only packages below bridge/slurm can name: package writer
// is the one that does.
package restconn
