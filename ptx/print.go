package ptx

import "fmt"

// Head begins a text of kernels. What it asks for is there in drivers from 450 on.
const Head = ".version 7.0\n.target sm_70\n.address_size 64\n"

// Kernel prints the list as a kernel for states and traits of the given formats. Its parameters are addresses and a number, of 8 bytes each: states,
// traits, shared numbers, next states, sums of scores, flag, individuals. A block of threads has a Tile. The flag becomes the number of an
// individual that raises one, counted from 1. Sums are those of whole tiles, as rows.Sum has them, with their sign turned: losses. Where planes are
// summed, one more parameter is the address of the largest Off, and a tile has the gradient behind its loss.
func (c *OpList) Kernel(name string, states, traits Precision) string {
	if len(c.open) > 0 {
		panic("ptx: a block is not closed")
	}
	w := &writer{code: c, states: states, traits: traits}
	w.begin(name)
	for i := range c.list {
		w.operation(&c.list[i], i)
	}
	if c.nexts > 0 {
		w.line("not.pred %%ok, %%ok;")
		w.line("or.pred %%f0, %%f0, %%ok;")
	}
	if c.scores {
		w.line("and.pred %%f0, %%f0, %%in;")
	}
	w.line("add.u64 %%w, %%i, 1;")
	w.line("@%%f0 st.global.u64 [%%flag], %%w;")
	if c.planes {
		w.columns()
	}
	if c.scores {
		w.reduce()
	}
	w.text.WriteString("DONE:\n\tret;\n}\n")
	return w.text.String()
}

// begin prints what all kernels begin with. Individuals beyond the last do nothing, but where scores are summed, for which all must be there.
func (w *writer) begin(name string) {
	worst := ""
	if w.code.planes {
		worst = ", .param .u64 worst"
	}
	fmt.Fprintf(&w.text, ".visible .entry %s(.param .u64 states, .param .u64 traits, .param .u64 shared, .param .u64 next, .param .u64 sums, .param .u64 flag, .param .u64 n%s)\n{\n", name, worst)
	w.line(".reg .f64 %%d<%d>; .reg .f32 %%s<%d>; .reg .b64 %%b<%d>; .reg .pred %%p<%d>;", len(w.code.kinds)+1, len(w.code.kinds)+1, len(w.code.kinds)+1, len(w.code.kinds)+1)
	w.line(".reg .u64 %%i, %%at, %%states, %%traits, %%shared, %%next, %%sums, %%flag, %%n; .reg .u32 %%tile, %%lane, %%other; .reg .pred %%f0, %%in, %%ok, %%q; .reg .f64 %%score, %%t; .reg .f32 %%h; .reg .u64 %%w;")
	if w.code.scores {
		w.line(".shared .align 8 .b8 room[%d];", 8*Tile)
	}
	if w.code.planes {
		w.rooms()
	}
	for _, name := range []string{"states", "traits", "shared", "next", "sums", "flag", "n"} {
		w.line("ld.param.u64 %%%s, [%s];", name, name)
	}
	w.line("mov.u32 %%tile, %%ctaid.x;")
	w.line("mov.u32 %%lane, %%tid.x;")
	w.line("cvt.u64.u32 %%at, %%lane;")
	w.line("mul.wide.u32 %%i, %%tile, %d;", Tile)
	w.line("add.u64 %%i, %%i, %%at;")
	w.line("setp.lt.u64 %%in, %%i, %%n;")
	if !w.code.scores {
		w.line("@!%%in bra DONE;")
	}
	w.address("states", w.code.States, w.states)
	w.address("next", w.code.States, w.states)
	w.address("traits", w.code.Traits, w.traits)
	w.line("setp.ne.u32 %%f0, %%lane, %%lane;")
	w.line("setp.eq.u32 %%ok, %%lane, %%lane;")
}

// address moves an address to the thread's individual.
func (w *writer) address(name string, entries int, f Precision) {
	w.line("mul.wide.u32 %%w, %%tile, %d;", Tile*entries*f.Bytes())
	w.line("add.u64 %%%s, %%%s, %%w;", name, name)
	w.line("mad.wide.u32 %%%s, %%lane, %d, %%%s;", name, f.Bytes(), name)
}

// plain are operations whose text is a name with its rounding and the registers.
var plain = map[op]string{
	opAdd: "add.rn", opSub: "sub.rn", opMul: "mul.rn", opDiv: "div.rn", opFMA: "fma.rn", opSqrt: "sqrt.rn", opNeg: "neg", opAbs: "abs",
	opKeep: "mov", opAnd: "and", opOr: "or", opNot: "not", opSelect: "selp", opBitOr: "or",
}

var arity = map[op]int{opFMA: 3, opSelect: 3, opSqrt: 1, opNeg: 1, opAbs: 1, opKeep: 1, opNot: 1}

// compared are comparisons.
var compared = map[op]string{opLess: "lt", opAtMost: "le", opEqual: "eq", opUnequal: "neu"}

// converted are conversions.
var converted = map[op]string{
	opFloor: "cvt.rmi.f64.f64", opTrunc: "cvt.rzi.f64.f64", opSingle: "cvt.rn.f32.f64", opDouble: "cvt.f64.f32",
	opBits: "mov.b64", opNumber: "mov.b64", opWhole: "cvt.rn.f64.s64",
}

// numbered are operations on bits with a number.
var numbered = map[op]string{opBitAdd: "add.s64", opShiftLeft: "shl.b64", opShiftRight: "shr.u64"}

func (w *writer) operation(o *operation, at int) {
	if name, ok := plain[o.op]; ok {
		n := 2
		if some, ok := arity[o.op]; ok {
			n = some
		}
		args := w.register(o.dst)
		for _, a := range o.a[:n] {
			args += ", " + w.register(a)
		}
		w.line("%s.%s %s;", name, types[o.kind], args)
		return
	}
	if name, ok := compared[o.op]; ok {
		w.line("setp.%s.%s %s, %s, %s;", name, types[w.code.kinds[o.a[0]]], w.register(o.dst), w.register(o.a[0]), w.register(o.a[1]))
		return
	}
	if name, ok := converted[o.op]; ok {
		w.line("%s %s, %s;", name, w.register(o.dst), w.register(o.a[0]))
		return
	}
	if name, ok := numbered[o.op]; ok {
		w.line("%s %s, %s, %d;", name, w.register(o.dst), w.register(o.a[0]), int64(o.number))
		return
	}
	w.other(o, at)
}

// other prints what has a form of its own.
func (w *writer) other(o *operation, at int) {
	switch o.op {
	case opConst:
		w.line("mov.f64 %s, 0d%016X;", w.register(o.dst), o.number)
	case opState:
		w.load(o, "states", w.states)
	case opTrait:
		w.load(o, "traits", w.traits)
	case opShared:
		w.line("ld.global.nc.f64 %s, [%%shared+%d];", w.register(o.dst), 8*o.number)
	case opBitAnd:
		if o.a[1] < 0 {
			w.line("and.b64 %s, %s, %d;", w.register(o.dst), w.register(o.a[0]), int64(o.number))
		} else {
			w.line("and.b64 %s, %s, %s;", w.register(o.dst), w.register(o.a[0]), w.register(o.a[1]))
		}
	case opSet:
		w.line("mov.%s %s, %s;", types[w.code.kinds[o.a[0]]], w.register(o.a[0]), w.register(o.a[1]))
	case opIf:
		w.line("@!%s bra E%d;", w.register(o.a[0]), o.number)
	case opEnd:
		fmt.Fprintf(&w.text, "E%d:\n", at)
	case opLoop:
		fmt.Fprintf(&w.text, "L%d:\n", at)
	case opAgain:
		w.line("@%s bra L%d;", w.register(o.a[0]), o.number)
	case opFlag:
		w.line("or.pred %%f0, %%f0, %s;", w.register(o.a[0]))
	case opNext:
		w.store(o)
	case opScore:
		w.line("mov.f64 %%score, %s;", w.register(o.a[0]))
	case opPlane:
		w.plane(o)
	}
}

func (w *writer) load(o *operation, name string, f Precision) {
	offset := o.number * Tile * uint64(f.Bytes())
	if f == Float32 {
		w.line("ld.global.nc.f32 %%h, [%%%s+%d];", name, offset)
		w.line("cvt.f64.f32 %s, %%h;", w.register(o.dst))
		return
	}
	w.line("ld.global.nc.f64 %s, [%%%s+%d];", w.register(o.dst), name, offset)
}

// store writes an entry of the next state, as it is kept, and flags one that is not finite.
func (w *writer) store(o *operation) {
	offset, from, kept := o.number*Tile*uint64(w.states.Bytes()), w.register(o.a[0]), "f64"
	if w.states == Float32 {
		w.line("cvt.rn.f32.f64 %%h, %s;", from)
		from, kept = "%h", "f32"
	}
	guard := ""
	if w.code.scores {
		guard = "@%in "
	}
	w.line("%sst.global.%s [%%next+%d], %s;", guard, kept, offset, from)
	w.line("testp.finite.%s %%q, %s;", kept, from)
	w.line("and.pred %%ok, %%ok, %%q;")
}

// reduce sums the scores of a tile: eights in order, which are then added two by two.
func (w *writer) reduce() {
	w.line("mov.u64 %%at, room;")
	w.line("mad.wide.u32 %%w, %%lane, 8, %%at;")
	w.line("st.shared.f64 [%%w], %%score;")
	w.line("bar.sync 0;")
	w.line("setp.ge.u32 %%q, %%lane, %d;", Tile/8)
	w.line("@%%q bra FOLD;")
	w.line("mad.wide.u32 %%w, %%lane, 64, %%at;")
	w.line("mov.f64 %%score, 0d0000000000000000;")
	for i := range 8 {
		w.line("ld.shared.f64 %%t, [%%w+%d];", 8*i)
		w.line("add.rn.f64 %%score, %%score, %%t;")
	}
	w.text.WriteString("FOLD:\n")
	w.line("bar.sync 0;")
	w.line("mad.wide.u32 %%w, %%lane, 8, %%at;")
	w.line("@!%%q st.shared.f64 [%%w], %%score;")
	for gap := 1; gap < Tile/8; gap *= 2 {
		w.fold(gap)
	}
	w.line("bar.sync 0;")
	w.line("setp.ne.u32 %%q, %%lane, 0;")
	w.line("@%%q bra DONE;")
	w.line("ld.shared.f64 %%score, [%%at];")
	w.line("neg.f64 %%score, %%score;")
	w.line("mul.wide.u32 %%w, %%tile, %d;", 8*w.code.Parts())
	w.line("add.u64 %%w, %%sums, %%w;")
	w.line("st.global.f64 [%%w], %%score;")
}

// fold adds neighbours that are gap apart: thread k of the first Tile/16/gap adds number 2·gap·k + gap to number 2·gap·k.
func (w *writer) fold(gap int) {
	w.line("bar.sync 0;")
	w.line("setp.ge.u32 %%q, %%lane, %d;", Tile/16/gap)
	w.line("@%%q bra G%d;", gap)
	w.line("mad.wide.u32 %%w, %%lane, %d, %%at;", 16*gap)
	w.line("ld.shared.f64 %%score, [%%w];")
	w.line("ld.shared.f64 %%t, [%%w+%d];", 8*gap)
	w.line("add.rn.f64 %%score, %%score, %%t;")
	w.line("st.shared.f64 [%%w], %%score;")
	fmt.Fprintf(&w.text, "G%d:\n", gap)
}
