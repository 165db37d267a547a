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
	file            *dl.DynamicLibrary
	nvml            nvml.Interface
	symbols         symbolSet
	description     nodeprobe.Driver
	identityByIndex map[int]nodeprobe.GPU // identity by index, for a GPU that stops answering
	xidWatch        *xidWatch             // nil: the driver tells of none
	staleReason     string                // why the driver must be opened anew; "": it need not
}

// Open loads the library, libnvidia-ml.so.1 when the path is "", and starts
// it. When there is no working driver the error is a *NoDriver.
func Open(path string) (*Driver, error) {
	path = cmp.Or(path, DefaultLibrary)
	file := dl.New(path, dl.RTLD_LAZY|dl.RTLD_GLOBAL)
	if err := file.Open(); err != nil {
		return nil, &NoDriver{Path: path, Reason: err.Error()}
	}
	d := &Driver{file: file, symbols: findSymbols(file), identityByIndex: map[int]nodeprobe.GPU{}}
	if why := d.symbols.unusable(); why != "" {
		return nil, errors.Join(&NoDriver{Path: path, Reason: why}, file.Close())
	}
	d.nvml = nvml.New(nvml.WithLibraryPath(path))
	if ret := d.nvml.Init(); ret != nvml.SUCCESS {
		return nil, errors.Join(&NoDriver{Path: path, Reason: describeReturn(ret)}, file.Close())
	}
	d.readDescription()
	d.xidWatch = d.watchXids()
	return d, nil
}

func (d *Driver) readDescription() {
	d.description.Missing = d.symbols.missing()
	if d.symbols.has(driverVersionSymbol) {
		d.description.Version, _ = d.nvml.SystemGetDriverVersion()
	}
	if d.symbols.has(cudaVersionSymbol) {
		if v, ret := d.nvml.SystemGetCudaDriverVersion_v2(); ret == nvml.SUCCESS {
			d.description.CUDA = fmt.Sprintf("%d.%d", v/1000, v%1000/10)
		}
	}
}

// About describes the driver.
func (d *Driver) About() nodeprobe.Driver { return d.description }

// Close gives the library back.
func (d *Driver) Close() error {
	d.xidWatch.close(d)
	if d.symbols.has(shutdownSymbol) {
		if ret := d.nvml.Shutdown(); ret != nvml.SUCCESS {
			return fmt.Errorf("shutting NVML down: %s", describeReturn(ret))
		}
	}
	return d.file.Close()
}

// Read measures every GPU, by index. One that no longer answers is listed as
// lost, with the identity it had. The error means that the driver as a whole
// does not answer.
func (d *Driver) Read() ([]nodeprobe.GPU, error) {
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
