// Package paper is what published scheduling systems have in common: how one
// describes itself, and how its parameters are read. Each system is a package
// below, a struct whose fields are the paper's parameters, built from the stages
// of the packages of policy; package catalogue lists them.
package paper
