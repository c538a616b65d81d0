package device

import (
	"fmt"
	"runtime"
	"unsafe"
)

// Open opens a device of a driver by its number, that of the machine where it is nil. Where there is none the error is an *AbsentError.
func Open(by Driver, number int) (*Device, error) {
	d := new(Device)
	d.desk = newDesk(&d.pin)
	if err := d.open(by, number); err != nil {
		d.pin.Unpin()
		return nil, err
	}
	return d, nil
}

func (d *Device) open(by Driver, number int) (err error) {
	if d.lib, err = find(by); err != nil {
		return err
	}
	count, err := d.start()
	if err != nil {
		return err
	}
	if number < 0 || number >= count {
		return &AbsentError{fmt.Sprintf("there is no GPU %d: the driver knows %d", number, count), "see kedge devices, or run with --device cpu"}
	}
	if d.Info, err = d.describe(number); err != nil {
		return err
	}
	if d.Info.isAncient {
		return &AbsentError{fmt.Sprintf("%s has compute capability %s, kernels need 7.0", d.Info.Name, d.Info.Capability), "run with --device cpu"}
	}
	handle, err := d.handle(number)
	if err == nil {
		err = d.call("cuDevicePrimaryCtxRetain", d.result(0), handle)
	}
	if err != nil {
		return err
	}
	d.context = uintptr(d.desk.out[0])
	d.Info.Free, err = d.Room()
	return err
}

// do does something with the device's context on the caller's thread.
func (d *Device) do(something func() error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := d.call("cuCtxSetCurrent", d.context); err != nil {
		return err
	}
	return something()
}

// Room is how many bytes are free.
func (d *Device) Room() (free int, err error) {
	err = d.do(func() error {
		err := d.call("cuMemGetInfo_v2", d.result(0), d.result(1))
		free = int(d.desk.out[0])
		return err
	})
	return free, err
}

// Lost is the error after which the device can do nothing more in this process; nil while it can.
func (d *Device) Lost() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.lost
}

// Alloc takes memory, filled with zeros.
func (d *Device) Alloc(bytes int) (m Slab, err error) {
	err = d.do(func() error {
		if err := d.call("cuMemAlloc_v2", d.result(0), uintptr(max(1, bytes))); err != nil {
			return err
		}
		at := d.desk.out[0]
		if err := d.call("cuMemsetD8Async", uintptr(at), 0, uintptr(max(1, bytes)), 0); err != nil {
			_ = d.call("cuMemFree_v2", uintptr(at))
			return err
		}
		m = Slab{at, max(1, bytes)}
		return nil
	})
	return m, err
}

// Free gives memory back.
func (d *Device) Free(list ...Slab) {
	for _, m := range list {
		if m.at != 0 {
			_ = d.do(func() error { return d.call("cuMemFree_v2", uintptr(m.at)) }) // what cannot be given back is gone with the process
		}
	}
}

// Lock takes memory of this process that never moves.
func (d *Device) Lock(bytes int) (w *Locked, err error) {
	const everywhere, mapped = 1, 2
	err = d.do(func() error {
		if err := d.call("cuMemHostAlloc", d.result(0), uintptr(bytes), everywhere|mapped); err != nil {
			return err
		}
		w = &Locked{at: d.desk.out[0], start: *(*unsafe.Pointer)(unsafe.Pointer(&d.desk.out[0])), Bytes: bytes}
		return nil
	})
	return w, err
}

// Unlock gives a window back.
func (d *Device) Unlock(w *Locked) {
	if w != nil {
		_ = d.do(func() error { return d.call("cuMemFreeHost", uintptr(w.at)) })
	}
}

// Send copies bytes of a window to the device, some time before Wait returns.
func (d *Device) Send(to Slab, at int, w *Locked, from, bytes int) error {
	w.mustHave(from, bytes)
	return d.do(func() error {
		return d.call("cuMemcpyHtoDAsync_v2", uintptr(to.At(at)), uintptr(w.At(from)), uintptr(bytes), 0)
	})
}

// Fetch copies bytes of the device to a window, some time before Wait returns.
func (d *Device) Fetch(w *Locked, at int, from Slab, offset, bytes int) error {
	w.mustHave(at, bytes)
	return d.do(func() error {
		return d.call("cuMemcpyDtoHAsync_v2", uintptr(w.At(at)), uintptr(from.At(offset)), uintptr(bytes), 0)
	})
}

// Copy copies bytes within the device, some time before Wait returns.
func (d *Device) Copy(to, from Slab, bytes int) error {
	return d.do(func() error {
		return d.call("cuMemcpyDtoDAsync_v2", uintptr(to.at), uintptr(from.at), uintptr(bytes), 0)
	})
}

// Load compiles a text in PTX and returns the kernel of a name.
func (d *Device) Load(text, name string) (k Kernel, err error) {
	err = d.do(func() error {
		var pin runtime.Pinner
		defer pin.Unpin()
		source := append([]byte(text), 0)
		pin.Pin(&source[0])
		if err := d.call("cuModuleLoadDataEx", d.result(0), uintptr(unsafe.Pointer(&source[0])), 0, 0, 0); err != nil {
			return err
		}
		module := uintptr(d.desk.out[0])
		clear(d.desk.name[:])
		copy(d.desk.name[:len(d.desk.name)-1], name)
		if err := d.call("cuModuleGetFunction", d.result(0), module, uintptr(unsafe.Pointer(&d.desk.name[0]))); err != nil {
			return err
		}
		k.handle = d.desk.out[0]
		return nil
	})
	return k, err
}

// Launch starts a kernel on so many blocks of threads, behind all that was asked for before.
func (d *Device) Launch(k Kernel, blocks, threads int, args ...uint64) error {
	return d.LaunchBeside(k, blocks, 1, threads, args...)
}

// LaunchBeside starts a kernel on so many rows of blocks beside each other.
func (d *Device) LaunchBeside(k Kernel, blocks, beside, threads int, args ...uint64) error {
	if len(args) > len(d.desk.args) {
		panic("device: too many arguments")
	}
	return d.do(func() error {
		copy(d.desk.args[:], args)
		return d.call("cuLaunchKernel", uintptr(k.handle), uintptr(blocks), uintptr(beside), 1, uintptr(threads), 1, 1, 0, 0, uintptr(unsafe.Pointer(&d.desk.at[0])), 0)
	})
}

// Wait waits until all is done that was asked for.
func (d *Device) Wait() error { return d.do(func() error { return d.call("cuStreamSynchronize", 0) }) }

// Close gives the device back.
func (d *Device) Close() {
	handle, err := d.handle(d.Info.Number)
	if err == nil {
		_ = d.call("cuDevicePrimaryCtxRelease_v2", handle)
	}
	d.pin.Unpin()
}
