package emulated

import "slices"

// mostSteps is how many the threads of a block take, or they never end.
const mostSteps = 1 << 26

// block is threads that share memory. They go together: of those that can go on, the ones that are farthest behind do a step, all of them, until they come to
// where others are or one of them turns.
type block struct {
	driver  *GPUs
	args    []uint64
	threads int
	x       []uint64 // registers, of all threads one behind the other
	at      []int    // which step is next
	waits   []bool   // for the others
	ended   []bool
	who     []int   // is about to do a step
	some    []int   // of them do it
	shared  segment // from 0 on
	fault   int
	done    int     // steps of all threads
	near    segment // that was reached last
}

// row is what all threads have in a register.
func (b *block) row(register int) []uint64 { return b.x[register*b.threads:][:b.threads] }

func (b *block) fill(register int, with uint64) {
	row := b.row(register)
	for i := range row {
		row[i] = with
	}
}

// run runs a kernel, one block after the other.
func (d *GPUs) run(k *kernel, blocks, beside, threads int, args []uint64) (code int) {
	b := &block{
		driver: d, args: args, threads: threads, x: make([]uint64, len(k.first)*threads), at: make([]int, threads), waits: make([]bool, threads), ended: make([]bool, threads),
		shared: segment{data: make([]byte, k.bytes)},
	}
	for register, first := range k.first {
		b.fill(register, first)
	}
	for i := range threads {
		b.row(k.special[tidX])[i] = uint64(i)
	}
	for y := range beside {
		b.fill(k.special[ctaidY], uint64(y))
		for x := range blocks {
			b.fill(k.special[ctaidX], uint64(x))
			flood(b.shared.data, leftover)
			clear(b.at)
			clear(b.ended)
			b.done = 0
			if b.together(k); b.fault != 0 {
				return b.fault
			}
		}
	}
	return 0
}

// together lets threads run until all have ended.
func (b *block) together(k *kernel) {
	for b.fault == 0 {
		upTo := b.gather(len(k.steps))
		if len(b.who) == 0 {
			if !slices.Contains(b.waits, true) {
				return
			}
			clear(b.waits)
			continue
		}
		at, turned := b.at[b.who[0]], false
		for at < upTo && !turned && b.fault == 0 {
			if b.done += len(b.who); b.done > mostSteps {
				b.fault = codeTimeout
			}
			s := &k.steps[at]
			at++
			if turned = s.turns; turned {
				b.pass(at)
			}
			s.do(b, b.who)
		}
		if !turned {
			b.pass(at)
		}
	}
}

// gather finds those who are farthest behind of the threads that can go on, and where the next of the others are.
func (b *block) gather(end int) (upTo int) {
	least := end
	upTo, b.who = end, b.who[:0]
	for i, at := range b.at {
		b.ended[i] = b.ended[i] || at >= end
		switch {
		case b.ended[i] || b.waits[i]:
		case at > least:
			upTo = min(upTo, at)
		case at < least:
			upTo, least = least, at
			b.who = append(b.who[:0], i)
		default:
			b.who = append(b.who, i)
		}
	}
	return upTo
}

// pass says which step is next for those who do one.
func (b *block) pass(to int) {
	for _, i := range b.who {
		b.at[i] = to
	}
}

// reach returns bytes at an address, nil where there are none; that is a fault.
func (b *block) reach(address uint64, bytes int, isShared bool) []byte {
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
