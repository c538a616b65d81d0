// Package emulated is a GPU made of Go, for tests: it answers the calls that package device makes to a driver, and does what kernels say, read
// from their text in PTX, step by step. It is as strict as a driver may be: what was asked for is done when somebody waits for it and not before,
// memory beyond what was taken faults, and a fault lasts.
package emulated

import (
	"strings"
	"sync"
	"unsafe"
)

// Codes of the driver's that calls come back with.
const (
	codeInvalid    = 1   // a value
	codeNoRoom     = 2   // for so many bytes
	codeNoDevice   = 101 // of that number
	codeNoContext  = 201 // is current
	codeBadText    = 218 // of kernels
	codeHandle     = 400 // of nothing
	codeNotFound   = 500 // a kernel of that name
	codeAddress    = 700 // that is not there
	codeTimeout    = 702
	codeMisaligned = 716
	codeUnknown    = 999 // a function
)

// context is the handle of the one that there is.
const context = 0x6b65

// GPUs are some that are all alike, with their driver.
type GPUs struct {
	Name         string
	Count        int
	Bytes        int // of each
	Major, Minor int // of what it can compute
	Version      int // 1000 times the major of CUDA, and 10 times the minor

	// Fail is asked before every call, by its name and how many there were before; what it returns, if not 0, is the answer.
	Fail func(name string, before int) (code int)

	// Bent is an instruction that this GPU gets wrong: what it makes differs in the last bit.
	Bent string

	mu       sync.Mutex
	calls    int
	lost     int // the code of a fault
	current  bool
	taken    int
	memory   []segment        // by address
	spare    map[int][]uint64 // host memory that was given back, by its length
	queue    []func() int
	programs []map[string]*kernel
	kernels  []*kernel
}

// New returns one of today, with a quarter of a gigabyte.
func New() *GPUs {
	return &GPUs{spare: map[int][]uint64{}, Name: "emulated GPU", Count: 1, Bytes: 1 << 28, Major: 9, Minor: 0, Version: 12040}
}

// Calls is how many there were.
func (d *GPUs) Calls() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.calls
}

// Taken is how many bytes of memory nobody has given back.
func (d *GPUs) Taken() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.taken
}

// streams is where calls name the stream that they are meant for: all are for the one that there is from the start.
var streams = map[string]int{"cuMemsetD8Async": 3, "cuMemcpyHtoDAsync_v2": 3, "cuMemcpyDtoHAsync_v2": 3, "cuMemcpyDtoDAsync_v2": 3, "cuLaunchKernel": 8, "cuStreamSynchronize": 0}

// Call answers one call of the driver's functions, by its name.
func (d *GPUs) Call(name string, a ...uintptr) (code int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls++
	if d.Fail != nil {
		if code = d.Fail(name, d.calls-1); code != 0 {
			return code
		}
	}
	if d.lost != 0 {
		return d.lost
	}
	if code, known := d.ask(name, a); known {
		return code
	}
	if !d.current {
		return codeNoContext
	}
	if at, has := streams[name]; has && a[at] != 0 {
		return codeHandle
	}
	return d.do(name, a)
}

// ask answers what may be asked without a context.
func (d *GPUs) ask(name string, a []uintptr) (code int, known bool) {
	switch name {
	case "cuInit":
	case "cuDriverGetVersion":
		put(a[0], uint32(d.Version))
	case "cuDeviceGetCount":
		put(a[0], uint32(d.Count))
	case "cuDeviceGet":
		if int(a[1]) >= d.Count {
			return codeNoDevice, true
		}
		put(a[0], uint32(a[1]))
	case "cuDeviceGetName":
		room := unsafe.Slice(at[byte](a[0]), a[1])
		room[copy(room[:len(room)-1], d.Name)] = 0
	case "cuDeviceTotalMem_v2":
		put(a[0], uint64(d.Bytes))
	case "cuDeviceGetAttribute":
		put(a[0], uint32(map[uintptr]int{75: d.Major, 76: d.Minor}[a[1]]))
	case "cuDevicePrimaryCtxRetain":
		put(a[0], uint64(context))
	case "cuDevicePrimaryCtxRelease_v2":
		d.memory, d.queue, d.taken, d.current = nil, nil, 0, false
	case "cuCtxSetCurrent":
		if a[0] != context {
			return codeNoContext, true
		}
		d.current = true
	default:
		return 0, false
	}
	return 0, true
}

// do does what takes a context. What takes its time is done when it is waited for, and who gives memory back has waited for what was asked for before.
func (d *GPUs) do(name string, a []uintptr) (code int) {
	switch name {
	case "cuMemGetInfo_v2":
		put(a[0], uint64(d.Bytes-d.taken))
		put(a[1], uint64(d.Bytes))
	case "cuMemAlloc_v2", "cuMemHostAlloc":
		isHost := name == "cuMemHostAlloc"
		if a[1] == 0 {
			return codeInvalid
		}
		if !isHost && int(a[1]) > d.Bytes-d.taken {
			return codeNoRoom
		}
		put(a[0], d.take(int(a[1]), isHost))
	case "cuMemFree_v2", "cuMemFreeHost":
		if code := d.flush(); code != 0 {
			return code
		}
		return d.giveBack(uint64(a[0]), name == "cuMemFreeHost")
	case "cuMemsetD8Async":
		d.later(func() int { return d.fill(uint64(a[0]), byte(a[1]), int(a[2])) })
	case "cuMemcpyHtoDAsync_v2":
		d.later(func() int { return d.move(uint64(a[0]), uint64(a[1]), int(a[2]), false, true) })
	case "cuMemcpyDtoHAsync_v2":
		d.later(func() int { return d.move(uint64(a[0]), uint64(a[1]), int(a[2]), true, false) })
	case "cuMemcpyDtoDAsync_v2":
		d.later(func() int { return d.move(uint64(a[0]), uint64(a[1]), int(a[2]), false, false) })
	case "cuModuleLoadDataEx":
		if a[2] != 0 || a[3] != 0 || a[4] != 0 { // options that nobody here knows
			return codeInvalid
		}
		program, err := read(text(a[1]), d.Bent)
		if err != nil {
			return codeBadText
		}
		d.programs = append(d.programs, program)
		put(a[0], uint64(len(d.programs)))
	case "cuModuleGetFunction":
		if a[1] == 0 || int(a[1]) > len(d.programs) {
			return codeHandle
		}
		k := d.programs[a[1]-1][text(a[2])]
		if k == nil {
			return codeNotFound
		}
		d.kernels = append(d.kernels, k)
		put(a[0], uint64(len(d.kernels)))
	case "cuLaunchKernel":
		return d.launch(a)
	case "cuStreamSynchronize":
		return d.flush()
	default:
		return codeUnknown
	}
	return 0
}

// launch asks for a kernel; its arguments are read now.
func (d *GPUs) launch(a []uintptr) (code int) {
	if a[0] == 0 || int(a[0]) > len(d.kernels) {
		return codeHandle
	}
	k, blocks, beside, threads := d.kernels[a[0]-1], int(a[1]), int(a[2]), int(a[4])
	if blocks < 1 || beside < 1 || a[3] != 1 || threads < 1 || threads > 1024 || a[5] != 1 || a[6] != 1 || a[7] != 0 || a[10] != 0 {
		return codeInvalid
	}
	places := unsafe.Slice(at[uintptr](a[9]), len(k.params))
	args := make([]uint64, len(k.params))
	for i, place := range places {
		args[i] = *at[uint64](place)
	}
	d.later(func() int { return d.run(k, blocks, beside, threads, args) })
	return 0
}

func (d *GPUs) later(something func() int) { d.queue = append(d.queue, something) }

// flush does all that was asked for. A fault is told to whoever waits, and to all who come after.
func (d *GPUs) flush() int {
	for len(d.queue) > 0 && d.lost == 0 {
		d.lost = d.queue[0]()
		d.queue = d.queue[1:]
	}
	return d.lost
}

// at is what lies at an address that the caller has pinned.
func at[T any](address uintptr) *T { return *(**T)(unsafe.Pointer(&address)) }

func put[T any](address uintptr, value T) { *at[T](address) = value }

// text is one that ends with a zero.
func text(address uintptr) string {
	var b strings.Builder
	for p := address; *at[byte](p) != 0; p++ {
		b.WriteByte(*at[byte](p))
	}
	return b.String()
}
