// Package topcommand is fairbridge top, a view of the cluster on a terminal that follows it. It
// only reads.
//
// The model is pure: messages (keys, the time, answers, the size of the terminal) change it, and
// it says what the screen shows and what is to be asked. What it wants asked is done in effects.go.
package topcommand
