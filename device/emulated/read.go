package emulated

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// kernel is one that can be run: instructions that every thread does one after the other. All that they read and write lies in registers, also
// numbers that the text has, and what a thread is told of itself.
type kernel struct {
	params  []string
	steps   []step
	first   []uint64        // what registers hold before a thread begins
	shared  map[string]int  // where names of shared memory begin
	bytes   int             // of shared memory
	byName  map[string]int  // registers
	labels  map[string]*int // which step follows them; -1 while nobody knows
	bent    string          // an instruction that is done wrong
	special [3]int          // registers of a thread's number, its block's, and its block's row
}

// step is what threads do.
type step struct {
	do    func(b *block, who []int)
	turns bool // the next step may be another than the one behind it, or none
}

const (
	tidX = iota
	ctaidX
	ctaidY
)

var specials = [...]string{tidX: "%tid.x", ctaidX: "%ctaid.x", ctaidY: "%ctaid.y"}

// head is how a text begins.
var head = regexp.MustCompile(`^\.version (\d+)\.(\d+)\n\.target sm_(\d+)\n\.address_size 64\n`)

var (
	entry    = regexp.MustCompile(`^\.visible \.entry (\w+)\((.*)\)$`)
	param    = regexp.MustCompile(`^\.param \.u64 (\w+)$`)
	register = regexp.MustCompile(`^(%[a-z]+[0-9]*)(?:<(\d+)>)?$`)
	shared   = regexp.MustCompile(`^\.shared \.align (\d+) \.b8 (\w+)\[(\d+)\]$`)
	label    = regexp.MustCompile(`^([A-Z]+\d*):$`)
	guard    = regexp.MustCompile(`^@(!?)(%\w+) (.*)$`)
	place    = regexp.MustCompile(`^\[(%?\w+)(?:\+(\d+))?\]$`)
)

// read reads kernels. Whatever it does not know is an error.
func read(source, bent string) (map[string]*kernel, error) {
	begin := head.FindString(source)
	if begin == "" {
		return nil, fmt.Errorf("the text does not say what it is written for")
	}
	all, k := map[string]*kernel{}, (*kernel)(nil)
	for number, line := range strings.Split(source[len(begin):], "\n") {
		line = strings.TrimSpace(line)
		if m := entry.FindStringSubmatch(line); m != nil && k == nil {
			k = &kernel{bent: bent, shared: map[string]int{}, byName: map[string]int{}, labels: map[string]*int{}, first: []uint64{0}}
			all[m[1]] = k
			if err := k.takeParams(m[2]); err != nil {
				return nil, err
			}
			continue
		}
		if line == "" || line == "{" && k != nil {
			continue
		}
		if k == nil {
			return nil, fmt.Errorf("line %d is outside of a kernel: %s", number, line)
		}
		if line == "}" {
			if err := k.finish(); err != nil {
				return nil, err
			}
			k = nil
			continue
		}
		if err := k.line(line); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	if k != nil {
		return nil, fmt.Errorf("a kernel does not end")
	}
	return all, nil
}

func (k *kernel) takeParams(list string) error {
	for _, one := range strings.Split(list, ", ") {
		m := param.FindStringSubmatch(one)
		if m == nil {
			return fmt.Errorf("what parameter is %q?", one)
		}
		k.params = append(k.params, m[1])
	}
	for i, name := range specials {
		k.special[i] = k.constant(0)
		k.byName[name] = k.special[i]
	}
	return nil
}

// constant returns a register that holds a number.
func (k *kernel) constant(x uint64) int {
	k.first = append(k.first, x)
	return len(k.first) - 1
}

// label returns where a label's step is kept.
func (k *kernel) label(name string) *int {
	if k.labels[name] == nil {
		k.labels[name] = new(-1)
	}
	return k.labels[name]
}

// finish wants all labels that are named.
func (k *kernel) finish() error {
	for name, at := range k.labels {
		if *at < 0 {
			return fmt.Errorf("nothing is called %s", name)
		}
	}
	return nil
}

// line reads a label, or statements.
func (k *kernel) line(line string) error {
	if m := label.FindStringSubmatch(line); m != nil {
		at := k.label(m[1])
		if *at >= 0 {
			return fmt.Errorf("%s is there twice", m[1])
		}
		*at = len(k.steps)
		return nil
	}
	rest, ended := strings.CutSuffix(line, ";")
	if !ended {
		return fmt.Errorf("%q does not end", line)
	}
	for _, one := range strings.Split(rest, ";") {
		if err := k.statement(strings.TrimSpace(one)); err != nil {
			return err
		}
	}
	return nil
}

func (k *kernel) statement(s string) error {
	if list, ok := strings.CutPrefix(s, ".reg "); ok {
		_, names, _ := strings.Cut(list, " ")
		return k.declare(strings.Split(names, ", "))
	}
	if m := shared.FindStringSubmatch(s); m != nil {
		align, _ := strconv.Atoi(m[1])
		bytes, _ := strconv.Atoi(m[3])
		k.bytes = (k.bytes + align - 1) / align * align
		k.shared[m[2]] = k.bytes
		k.bytes += bytes
		return nil
	}
	only, not := 0, false
	if m := guard.FindStringSubmatch(s); m != nil {
		r, err := k.operand(m[2])
		if err != nil {
			return err
		}
		only, not, s = r, m[1] == "!", m[3]
	}
	do, err := k.instruction(s)
	if err != nil {
		return fmt.Errorf("%s: %w", s, err)
	}
	if only > 0 {
		do = guarded(do, only, not)
	}
	k.steps = append(k.steps, do)
	return nil
}

// guarded is a step that is done only where a register holds true, or does not.
func guarded(s step, only int, not bool) step {
	return step{turns: s.turns, do: func(b *block, who []int) {
		b.some = b.some[:0]
		for says := b.row(only); len(who) > 0; who = who[1:] {
			if says[who[0]] != 0 != not {
				b.some = append(b.some, who[0])
			}
		}
		s.do(b, b.some)
	}}
}

// declare makes registers: by their name, or as many of a name as it says.
func (k *kernel) declare(names []string) error {
	for _, name := range names {
		m := register.FindStringSubmatch(name)
		if m == nil {
			return fmt.Errorf("what register is %q?", name)
		}
		if m[2] == "" {
			k.byName[m[1]] = -1
			continue
		}
		many, _ := strconv.Atoi(m[2])
		for i := range many {
			k.byName[m[1]+strconv.Itoa(i)] = -1
		}
	}
	return nil
}

// operand returns the register of what an instruction names: a register, a number, or a name of shared memory.
func (k *kernel) operand(s string) (int, error) {
	if r, declared := k.byName[s]; declared {
		if r < 0 {
			r = k.constant(0x7ff4_dead_dead_dead) // nobody may read it before it is written
			k.byName[s] = r
		}
		return r, nil
	}
	if offset, ok := k.shared[s]; ok {
		return k.constant(uint64(offset)), nil
	}
	if hex, ok := strings.CutPrefix(s, "0d"); ok && len(hex) == 16 {
		x, err := strconv.ParseUint(hex, 16, 64)
		return k.constant(x), err
	}
	x, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("nothing is called %s", s)
	}
	return k.constant(uint64(x)), nil
}

// instruction reads a name and what it is done with.
func (k *kernel) instruction(s string) (step, error) {
	name, rest, _ := strings.Cut(s, " ")
	switch name {
	case "ret":
		return turn(func(b *block, i int) { b.ended[i] = true }), nil
	case "bra":
		to := k.label(rest)
		return turn(func(b *block, i int) { b.at[i] = *to }), nil
	case "bar.sync":
		return turn(func(b *block, i int) { b.waits[i] = true }), nil
	case "ld.param.u64":
		return k.readParam(operands(rest))
	}
	list := operands(rest)
	f, known := values[name]
	if !known {
		return k.memory(strings.Split(name, "."), list)
	}
	if len(list) != f.sources+1 {
		return step{}, fmt.Errorf("%d operands, want %d", len(list), f.sources+1)
	}
	var r [4]int
	for i, one := range list {
		var err error
		if r[i], err = k.operand(one); err != nil {
			return step{}, err
		}
	}
	wrong := uint64(0)
	if name == k.bent {
		wrong = 1
	}
	return step{do: func(b *block, who []int) {
		to, x, y, z := b.row(r[0]), b.row(r[1]), b.row(r[2]), b.row(r[3])
		for _, i := range who {
			to[i] = f.of(x[i], y[i], z[i]) ^ wrong
		}
	}}, nil
}

// turn is a step after which threads may part.
func turn(one func(b *block, i int)) step {
	return step{turns: true, do: func(b *block, who []int) {
		for _, i := range who {
			one(b, i)
		}
	}}
}

func (k *kernel) readParam(list []string) (step, error) {
	if len(list) != 2 {
		return step{}, fmt.Errorf("%d operands, want 2", len(list))
	}
	to, err := k.operand(list[0])
	i := slices.Index(k.params, strings.Trim(list[1], "[]"))
	if err != nil || i < 0 {
		return step{}, fmt.Errorf("there is no such parameter, or register")
	}
	return step{do: func(b *block, who []int) {
		for _, thread := range who {
			b.row(to)[thread] = b.args[i]
		}
	}}, nil
}

// operands splits a list at commas that are not within braces.
func operands(s string) (list []string) {
	depth, from := 0, 0
	for i, c := range s {
		switch c {
		case '{':
			depth++
		case '}':
			depth--
		case ',':
			if depth == 0 {
				list = append(list, strings.TrimSpace(s[from:i]))
				from = i + 1
			}
		}
	}
	return append(list, strings.TrimSpace(s[from:]))
}

// memory reads what loads, stores and keeps the largest.
func (k *kernel) memory(name, list []string) (step, error) {
	bytes := map[string]int{"f64": 8, "u64": 8, "b64": 8, "f32": 4}[name[len(name)-1]]
	kind := strings.Join(name[:len(name)-1], ".")
	where, what := 1, 0
	if name[0] != "ld" {
		where, what = 0, 1
	}
	if bytes == 0 || len(list) != 2 {
		return step{}, fmt.Errorf("unknown")
	}
	m := place.FindStringSubmatch(list[where])
	if m == nil {
		return step{}, fmt.Errorf("what place is %s?", list[where])
	}
	from, err := k.operand(m[1])
	if err != nil {
		return step{}, err
	}
	offset, _ := strconv.ParseUint("0"+m[2], 10, 64)
	var r []int
	for _, one := range operands(strings.Trim(list[what], "{}")) {
		number, err := k.operand(one)
		if err != nil {
			return step{}, err
		}
		r = append(r, number)
	}
	f, known := accesses[kind]
	if !known || len(r) != f.numbers {
		return step{}, fmt.Errorf("unknown")
	}
	whole := bytes * len(r)
	return step{do: func(b *block, who []int) {
		for _, thread := range who {
			data := b.reach(b.row(from)[thread]+offset, whole, f.isShared)
			if data == nil {
				return
			}
			for i, register := range r {
				f.do(data[i*bytes:][:bytes], &b.row(register)[thread])
			}
		}
	}}, nil
}
