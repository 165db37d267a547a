// Package descent minimises a smooth function of a few bounded variables: projected BFGS with
// a line search that halves (Bertsekas, "Projected Newton methods for optimization problems
// with simple constraints", 1982).
package descent
