// Package fakenvml builds a small libnvidia-ml.so.1 with the C compiler whose
// GPUs follow a text file, so that tests and the demo run the probe as it is,
// loading a driver library as it would NVIDIA's, on machines without a GPU.
//
// The file is named by the environment variable FAKENVML_STATE and read again
// whenever it changes. Each line is a GPU or the driver; # starts a comment:
//
//	driver version=550.54.15 cuda=12040
//	gpu 0 model="NVIDIA A100-SXM4-80GB" busy=93 mem=40960/81920 watts=310 temp=61 pids=4711:40000
//	gpu 1 busy=0 xid=79
//	gpu 2 mig=1g.10gb,1g.10gb pids=4712:5000@1
//	gpu 3 hang
//
// Words of a gpu line, all optional: model= uuid= minor= busy= and membusy=
// (percent), mem=USED/TOTAL (MiB), watts= limit=, temp= (°C), sm= memclock=
// (MHz), throttle= (NVML's bit mask), pids=PID:MIB,… (on a MIG slice
// PID:MIB@SLICE), puse=PID:BUSY/MEMBUSY,… (percent, what processes did since
// the last call), ecc=CORRECTED/UNCORRECTED, retired= remapped= (counts),
// xid=, mig=PROFILE,…, na=NAME,… (readings the device does not support: busy,
// mem, watts, limit, energy, temp, clocks, throttle, pcie, fields, ecc,
// retired, remapped, mig, pids, puse, xid, minor, pci; handle: no permission at all),
// ret=NAME:CODE,… (calls that answer with this return code of NVML's; the names
// of na= and uuid, name and all) and the flags pending (a
// retirement or remapping waits), failed (a remapping failed), lost, hang
// (calls do not return until the word is gone) and crash (the next call ends
// the process). Words of the driver line: version= cuda= hang, ret= (names init
// and count), and missing (the library is there, the driver is not).
package fakenvml
