package device

// Driver answers calls of a GPU's driver by the names of its functions, as the driver's own library does.
type Driver interface {
	Call(name string, args ...uintptr) (code int)
}

// caller is a library, or what stands in for it.
type caller interface {
	call(f entry, args ...uintptr) (code int)
}

type substitute struct{ Driver }

func (s substitute) call(f entry, args ...uintptr) (code int) { return s.Call(entries[f], args...) }

// find returns what answers calls: d, or the library where d is nil. Where there is nothing the error is an *AbsentError.
func find(d Driver) (caller, error) {
	if d != nil {
		return substitute{d}, nil
	}
	return openLibrary()
}

// entry is a function of the driver's library.
type entry int

const (
	callInit entry = iota
	callVersion
	callCount
	callDevice
	callName
	callTotal
	callAttribute
	callRetain
	callRelease
	callCurrent
	callRoom
	callAlloc
	callFree
	callClear
	callLock
	callUnlock
	callSend
	callFetch
	callCopy
	callLoad
	callFunction
	callLaunch
	callWait
	callsCount
)

// entries are the names of the functions.
var entries = [callsCount]string{
	callInit: "cuInit", callVersion: "cuDriverGetVersion", callCount: "cuDeviceGetCount", callDevice: "cuDeviceGet", callName: "cuDeviceGetName",
	callTotal: "cuDeviceTotalMem_v2", callAttribute: "cuDeviceGetAttribute", callRetain: "cuDevicePrimaryCtxRetain",
	callRelease: "cuDevicePrimaryCtxRelease_v2", callCurrent: "cuCtxSetCurrent", callRoom: "cuMemGetInfo_v2",
	callAlloc: "cuMemAlloc_v2", callFree: "cuMemFree_v2", callClear: "cuMemsetD8Async", callLock: "cuMemHostAlloc", callUnlock: "cuMemFreeHost",
	callSend: "cuMemcpyHtoDAsync_v2", callFetch: "cuMemcpyDtoHAsync_v2", callCopy: "cuMemcpyDtoDAsync_v2",
	callLoad: "cuModuleLoadDataEx", callFunction: "cuModuleGetFunction", callLaunch: "cuLaunchKernel", callWait: "cuStreamSynchronize",
}
