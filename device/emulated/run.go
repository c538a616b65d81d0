package emulated

// mostSteps is how many the threads of a block take, or they never end.
const mostSteps = 1 << 26

// thread is one that does the steps of a kernel.
type thread struct {
	x     []uint64 // registers
	at    int      // which step is next
	waits bool     // for the others of its block
	ended bool
	block *block
}

// block is the threads that share memory.
type block struct {
	driver *GPUs
	args   []uint64
	shared segment // from 0 on
	fault  int
	done   int     // steps of all threads
	near   segment // that was reached last
}

// run runs a kernel, one block after the other.
func (d *GPUs) run(k *kernel, blocks, beside, threads int, args []uint64) (code int) {
	b := &block{driver: d, args: args, shared: segment{data: make([]byte, k.bytes)}}
	all := make([]thread, threads)
	for i := range all {
		all[i] = thread{x: append([]uint64(nil), k.first...), block: b}
		all[i].x[k.special[tidX]] = uint64(i)
	}
	for y := range beside {
		for x := range blocks {
			flood(b.shared.data, leftover)
			for i := range all {
				all[i].at, all[i].ended = 0, false
				all[i].x[k.special[ctaidX]], all[i].x[k.special[ctaidY]] = uint64(x), uint64(y)
			}
			b.done = 0
			b.together(k, all)
			if b.fault != 0 {
				return b.fault
			}
		}
	}
	return 0
}

// together lets threads run to where they wait for each other, until all have ended.
func (b *block) together(k *kernel, all []thread) {
	for left := len(all); left > 0 && b.fault == 0; {
		left = 0
		for i := range all {
			t := &all[i]
			t.waits = false
			for !t.waits && !t.ended && b.fault == 0 {
				if t.at >= len(k.steps) {
					t.ended = true
					break
				}
				do := k.steps[t.at]
				t.at++
				if b.done++; b.done > mostSteps {
					b.fault = codeTimeout
				}
				do(t)
			}
			if !t.ended {
				left++
			}
		}
	}
}

// reach returns bytes at an address, nil where there are none; that is a fault.
func (t *thread) reach(address uint64, bytes int, isShared bool) []byte {
	b := t.block
	if address%uint64(bytes) != 0 {
		b.fault = codeMisaligned
		return nil
	}
	in := &b.near
	if isShared {
		in = &b.shared
	}
	data := in.part(address, bytes)
	if data == nil && !isShared {
		data, b.near = b.driver.reach(address, bytes)
	}
	if data == nil {
		b.fault = codeAddress
	}
	return data
}
