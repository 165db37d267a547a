//go:build cgo

package nvml

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/NVIDIA/go-nvml/pkg/dl"
	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"fairbridge/nodeprobe"
)

// Driver is a loaded driver library. It is not safe for concurrent use.
type Driver struct {
	library         *dl.DynamicLibrary
	nvml            nvml.Interface
	symbols         symbolSet
	info            nodeprobe.DriverInfo
	identityByIndex map[int]nodeprobe.GPU // identity by index, for a GPU that stops answering
	xidWatch        *xidWatch             // nil: the driver tells of none
	lastUseByIndex  map[int]uint64        // time of the newest use of processes that was read, by the driver's clock
	staleReason     string                // why the driver must be opened anew; "": it need not
}

// Open loads the library, libnvidia-ml.so.1 when the path is "", and starts
// it. When there is no working driver the error is a *NoDriverError.
func Open(path string) (*Driver, error) {
	path = cmp.Or(path, DefaultLibrary)
	file := dl.New(path, dl.RTLD_LAZY|dl.RTLD_GLOBAL)
	if err := file.Open(); err != nil {
		return nil, &NoDriverError{Path: path, Reason: err.Error()}
	}
	d := &Driver{library: file, symbols: findSymbols(file), identityByIndex: map[int]nodeprobe.GPU{}, lastUseByIndex: map[int]uint64{}}
	if why := d.symbols.findMissingVital(); why != "" {
		return nil, errors.Join(&NoDriverError{Path: path, Reason: why}, file.Close())
	}
	d.nvml = nvml.New(nvml.WithLibraryPath(path))
	if ret := d.nvml.Init(); ret != nvml.SUCCESS {
		return nil, errors.Join(&NoDriverError{Path: path, Reason: describeReturn(ret)}, file.Close())
	}
	d.readDriverInfo()
	d.xidWatch = d.watchXids()
	return d, nil
}

func (d *Driver) readDriverInfo() {
	d.info.MissingFunctions = d.symbols.listMissing()
	if d.symbols.hasSymbol(driverVersionSymbol) {
		d.info.Version, _ = d.nvml.SystemGetDriverVersion()
	}
	if d.symbols.hasSymbol(cudaVersionSymbol) {
		if v, ret := d.nvml.SystemGetCudaDriverVersion_v2(); ret == nvml.SUCCESS {
			d.info.CUDA = fmt.Sprintf("%d.%d", v/1000, v%1000/10)
		}
	}
}

// Info describes the driver.
func (d *Driver) Info() nodeprobe.DriverInfo { return d.info }

// Close gives the library back.
func (d *Driver) Close() error {
	d.xidWatch.close(d)
	if d.symbols.hasSymbol(shutdownSymbol) {
		if ret := d.nvml.Shutdown(); ret != nvml.SUCCESS {
			return fmt.Errorf("shutting NVML down: %s", describeReturn(ret))
		}
	}
	return d.library.Close()
}

// ReadGPUs measures every GPU, by index. One that no longer answers is listed as
// lost, with the identity it had. The error means that the driver as a whole
// does not answer.
func (d *Driver) ReadGPUs() ([]nodeprobe.GPU, error) {
	n, ret := d.nvml.DeviceGetCount()
	if ret != nvml.SUCCESS {
		return nil, fmt.Errorf("counting GPUs: %s", describeReturn(ret))
	}
	n = max(n, d.highestIndex()+1)
	d.xidWatch.readEvents(d)
	out := make([]nodeprobe.GPU, n)
	for i := range out {
		out[i] = d.readGPU(i)
	}
	if d.staleReason != "" {
		return nil, fmt.Errorf("reading GPUs: %s", d.staleReason)
	}
	return out, nil
}

// highestIndex returns the highest index ever seen: a driver may stop counting a
// GPU that fell off the bus.
func (d *Driver) highestIndex() int {
	top := -1
	for i := range d.identityByIndex {
		top = max(top, i)
	}
	return top
}
