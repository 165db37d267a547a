// Package nodeprobe is what is measured of a node's GPUs: the sample that the
// probe of a node serves and the bridge pulls, who uses each GPU, and whether
// a GPU should be given out. It is plain values; reading the driver is in
// nvml, finding the job of a process in owner, serving in serve.
package nodeprobe
