//go:build gpu && linux

package device

import (
	"os"
	"regexp"
	"runtime"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
)

// clock returns the address of time(2) of the C library, which writes the seconds since 1970 to where its argument points.
func clock(t *testing.T) uintptr {
	t.Helper()
	handle, err := purego.Dlopen("libc.so.6", purego.RTLD_NOW)
	if err != nil {
		t.Skip(err)
	}
	f, err := purego.Dlsym(handle, "time")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// address is the helper that must not be: once it has returned, nothing holds x where it is.
//
//go:noinline
func address(x *int64) uintptr { return uintptr(unsafe.Pointer(x)) }

// grow makes the stack deeper, and so moves it.
//
//go:noinline
func grow(depth int) byte {
	var room [512]byte
	if depth > 0 {
		room[depth%512] = grow(depth - 1)
	}
	return room[0]
}

// naive calls with an address from a helper while the arguments are still being made, by something that moves the stack.
//
//go:noinline
func naive(f uintptr, depth int) int64 {
	var x int64 = -1
	at := address(&x)
	grow(depth)
	purego.SyscallN(f, at)
	return x
}

// lost counts calls that lose their result, in goroutines whose stacks are new every time, while garbage is collected.
func lost(calls int, one func(depth int) int64) (n int) {
	stop := make(chan struct{})
	var collecting sync.WaitGroup
	collecting.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	})
	for i := range calls / 100 {
		done := make(chan int)
		go func() {
			bad := 0
			for k := range 100 {
				if one(k%4*(i%8)) < 1e9 {
					bad++
				}
			}
			done <- bad
		}()
		n += <-done
	}
	close(stop)
	collecting.Wait()
	return n
}

// Results that go to pinned memory all arrive, and the helper that is forbidden loses some, or this tests nothing.
func TestNoResultIsLost(t *testing.T) {
	f, calls := clock(t), 1_000_000
	if got := lost(calls/10, func(depth int) int64 { return naive(f, depth) }); got == 0 {
		t.Error("an address from a helper lost nothing: the stack did not move")
	}
	var pin runtime.Pinner
	defer pin.Unpin()
	block := newDesk(&pin)
	d := &Device{desk: block}
	got := lost(calls, func(depth int) int64 {
		block.out[0] = 0
		at := d.result(0)
		grow(depth)
		purego.SyscallN(f, at)
		return int64(block.out[0])
	})
	if got > 0 {
		t.Errorf("%d of %d results are lost", got, calls)
	}
}

// Every function that is called is looked up when the driver is opened, and no other.
func TestFunctionsAreLookedUp(t *testing.T) {
	var called []string
	for _, file := range []string{"device.go", "use.go"} {
		code, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`"(cu[A-Z]\w*)"`).FindAllSubmatch(code, -1) {
			called = append(called, string(m[1]))
		}
	}
	slices.Sort(called)
	if want := slices.Sorted(slices.Values(functions)); !slices.Equal(slices.Compact(called), want) {
		t.Errorf("%q are called, %q are looked up", called, want)
	}
}
