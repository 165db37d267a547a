// Package survival answers from a sample of sizes when something that has received
// so much already will end.
package survival
