package ptx

import (
	"fmt"
	"regexp"
	"strconv"
)

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

// forms are the texts of operations: $to is the register that is made and $t its type, $x, $y and $z are those it is made of, $of is the type of $x, and
// $n or $hex is the number, as is $y where there is no second register.
var forms = map[op]string{
	opConst: "mov.f64 $to, 0d$hex",
	opAdd:   "add.rn.$t $to, $x, $y", opSub: "sub.rn.$t $to, $x, $y", opMul: "mul.rn.$t $to, $x, $y", opDiv: "div.rn.$t $to, $x, $y",
	opFMA: "fma.rn.$t $to, $x, $y, $z", opSqrt: "sqrt.rn.$t $to, $x", opNeg: "neg.$t $to, $x", opAbs: "abs.$t $to, $x",
	opFloor: "cvt.rmi.f64.f64 $to, $x", opTrunc: "cvt.rzi.f64.f64 $to, $x",

	opLess: "setp.lt.$of $to, $x, $y", opAtMost: "setp.le.$of $to, $x, $y", opEqual: "setp.eq.$of $to, $x, $y", opUnequal: "setp.neu.$of $to, $x, $y",
	opAnd: "and.pred $to, $x, $y", opOr: "or.pred $to, $x, $y", opNot: "not.pred $to, $x", opSelect: "selp.$t $to, $x, $y, $z",

	opSingle: "cvt.rn.f32.f64 $to, $x", opDouble: "cvt.f64.f32 $to, $x", opWhole: "cvt.rn.f64.s64 $to, $x",
	opBits: "mov.b64 $to, $x", opNumber: "mov.b64 $to, $x",
	opBitAdd: "add.s64 $to, $x, $y", opShiftLeft: "shl.b64 $to, $x, $y", opShiftRight: "shr.u64 $to, $x, $y",
	opBitAnd: "and.b64 $to, $x, $y", opBitOr: "or.b64 $to, $x, $y",

	opKeep: "mov.$t $to, $x", opSet: "mov.$of $x, $y",
	opIf: "@!$x bra E$n", opAgain: "@$x bra L$n",
	opFlag: "or.pred %f0, %f0, $x", opScore: "mov.f64 %score, $x",
}

var named = regexp.MustCompile(`\$\w+`)

func (w *writer) operation(o *operation, at int) {
	form, known := forms[o.op]
	if !known {
		w.other(o, at)
		return
	}
	w.line("%s;", named.ReplaceAllStringFunc(form, func(name string) string {
		switch name {
		case "$to":
			return w.register(o.dst)
		case "$t":
			return types[o.kind]
		case "$of":
			return types[w.code.kinds[o.a[0]]]
		case "$hex":
			return fmt.Sprintf("%016X", o.number)
		case "$x", "$y", "$z":
			if a := o.a[name[1]-'x']; a >= 0 {
				return w.register(a)
			}
		}
		return strconv.FormatInt(int64(o.number), 10)
	}))
}

// other prints what takes more than one line, or has a place in memory.
func (w *writer) other(o *operation, at int) {
	switch o.op {
	case opState:
		w.load(o, "states", w.states)
	case opTrait:
		w.load(o, "traits", w.traits)
	case opShared:
		w.line("ld.global.nc.f64 %s, [%%shared+%d];", w.register(o.dst), 8*o.number)
	case opEnd:
		fmt.Fprintf(&w.text, "E%d:\n", at)
	case opLoop:
		fmt.Fprintf(&w.text, "L%d:\n", at)
	case opNext:
		w.store(o)
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
