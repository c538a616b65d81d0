//go:build gpu && linux

package device

import "github.com/ebitengine/purego"

// functions are those of the driver's library that are called.
var functions = []string{
	"cuInit", "cuDriverGetVersion", "cuDeviceGetCount", "cuDeviceGet", "cuDeviceGetName", "cuDeviceTotalMem_v2", "cuDeviceGetAttribute",
	"cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRelease_v2", "cuCtxSetCurrent", "cuMemGetInfo_v2",
	"cuMemAlloc_v2", "cuMemFree_v2", "cuMemsetD8Async", "cuMemHostAlloc", "cuMemFreeHost",
	"cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2", "cuMemcpyDtoDAsync_v2",
	"cuModuleLoadDataEx", "cuModuleGetFunction", "cuLaunchKernel", "cuStreamSynchronize",
}

// library is the driver's: the addresses of its functions.
type library map[string]uintptr

// openLibrary finds the driver.
func openLibrary() (Driver, error) {
	handle, err := purego.Dlopen("libcuda.so.1", purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return nil, &AbsentError{"there is no NVIDIA driver: " + err.Error(), "install one, in a container with --gpus all, or run with --device cpu"}
	}
	l := library{}
	for _, name := range functions {
		if l[name], err = purego.Dlsym(handle, name); err != nil {
			return nil, &AbsentError{"the NVIDIA driver is too old: it has no " + name, "install one from 450 on, or run with --device cpu"}
		}
	}
	return l, nil
}

// Call calls a function.
func (l library) Call(name string, args ...uintptr) int {
	r, _, _ := purego.SyscallN(l[name], args...)
	return int(int32(r))
}
