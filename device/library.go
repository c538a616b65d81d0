package device

import "sync/atomic"

// Driver answers calls of a GPU's driver by the names of its functions, as the driver's own library does.
type Driver interface {
	Call(name string, args ...uintptr) (code int)
}

// instead is the driver that is asked instead of the library, if there is one.
var instead atomic.Pointer[substitute]

// Use lets devices that are opened from now on be those of another driver, and returns what undoes that. It is for tests.
func Use(d Driver) (undo func()) {
	instead.Store(&substitute{d})
	return func() { instead.Store(nil) }
}

// caller is a library, or what stands in for it.
type caller interface {
	call(f entry, args ...uintptr) (code int)
}

type substitute struct{ Driver }

func (s *substitute) call(f entry, args ...uintptr) (code int) { return s.Call(entries[f], args...) }

// findDriver returns what answers calls. Where there is nothing the error is an *AbsentError.
func findDriver() (caller, error) {
	if s := instead.Load(); s != nil {
		return s, nil
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
