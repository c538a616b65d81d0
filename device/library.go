package device

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
