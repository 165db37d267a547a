// Package knapsack divides a number of rounds among items of whole rounds with
// concave utilities, and arranges them so that items that take part of the capacity
// fit beside one another.
package knapsack
