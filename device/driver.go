//go:build gpu && linux

package device

import "github.com/ebitengine/purego"

// library is the driver's, with the addresses of its functions.
type library struct{ at [callsCount]uintptr }

// openLibrary finds the driver.
func openLibrary() (caller, error) {
	handle, err := purego.Dlopen("libcuda.so.1", purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return nil, &AbsentError{"there is no NVIDIA driver: " + err.Error(), "install one, in a container with --gpus all, or run with --device cpu"}
	}
	l := new(library)
	for i, name := range entries {
		if l.at[i], err = purego.Dlsym(handle, name); err != nil {
			return nil, &AbsentError{"the NVIDIA driver is too old: it has no " + name, "install one from 450 on, or run with --device cpu"}
		}
	}
	return l, nil
}

func (l *library) call(f entry, args ...uintptr) int {
	r, _, _ := purego.SyscallN(l.at[f], args...)
	return int(int32(r))
}
