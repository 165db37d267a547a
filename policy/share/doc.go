// Package share says what accounts are due: their weights in the tree of
// accounts and the GPUs they are entitled to now.
package share
