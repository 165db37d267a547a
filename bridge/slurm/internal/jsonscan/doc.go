// Package jsonscan reads JSON from a stream, fast and strictly, with the numbers of
// slurmrestd: plain ones, and those wrapped as {"set": true, "number": 5}.
package jsonscan
