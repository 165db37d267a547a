// Package paper is the catalogue of scheduling systems: one file per published
// system, a struct whose fields are the paper's parameters, built from the
// stages of the packages beside it.
package paper
