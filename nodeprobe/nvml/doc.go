// Package nvml reads the GPUs of this node from NVIDIA's management library.
// It is the only package that knows go-nvml.
//
// A call to a function that the loaded library lacks would end the process, so
// each is looked up before its first use, and a driver without it leaves that
// one reading unknown. So does a GPU that does not support a reading. A call
// can also hang inside the driver, or crash: use this package in a process
// that may be lost (package child).
package nvml
