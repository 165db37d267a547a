// Package learned holds the tests of what is claimed of policies that learn: by a network, and from earlier runs of jobs.
package learned
