package ptx

import "fmt"

// rooms makes room for what a tile's individuals are summed by: along and across, what their traits are multiplied with, and Off.
func (w *writer) rooms() {
	for _, name := range []string{"lean", "weigh", "by", "far"} {
		w.line(".shared .align 16 .b8 %s[%d];", name, 8*Tile)
	}
	w.line(".reg .u64 %%lean, %%weigh, %%by, %%far, %%row, %%most, %%one, %%worst; .reg .u32 %%j, %%k;")
	w.line(".reg .f64 %%g, %%l0, %%l1, %%l2, %%l3, %%a0, %%a1, %%x0, %%x1, %%y0, %%y1; .reg .f32 %%h0, %%h1; .reg .b64 %%off;")
}

// plane puts an individual's numbers where all threads of the tile see them.
func (w *writer) plane(o *operation) {
	w.line("mov.b64 %%off, %s;", w.register(o.a[2]))
	w.line("selp.b64 %%off, %%off, 0, %%in;")
	w.line("mul.wide.u32 %%w, %%lane, 8;")
	store := func(name, kind, from string) {
		w.line("mov.u64 %%%s, %s;", name, name)
		w.line("add.u64 %%%s, %%%s, %%w;", name, name)
		w.line("st.shared.%s [%%%s], %s;", kind, name, from)
	}
	store("lean", "f64", w.register(o.a[0]))
	store("weigh", "f64", w.register(o.a[1]))
	store("far", "b64", "%off")
	if w.code.units != nil {
		store("by", "f64", w.register(w.code.unit))
	}
}

// columns sums the tile: a thread has a column, in which it adds individual after individual.
func (w *writer) columns() {
	w.line("bar.sync 0;")
	w.farthest()
	w.line("mov.u32 %%j, %%lane;")
	w.text.WriteString("COLUMN:\n")
	w.line("setp.ge.u32 %%q, %%j, %d;", w.code.Traits)
	w.line("@%%q bra SUMMED;")
	w.line("ld.param.u64 %%row, [traits];")
	w.line("mul.wide.u32 %%w, %%tile, %d;", Tile*w.code.Traits*w.traits.Bytes())
	w.line("add.u64 %%row, %%row, %%w;")
	w.line("mad.wide.u32 %%row, %%j, %d, %%row;", Tile*w.traits.Bytes())
	for _, name := range []string{"g", "l0", "l1", "l2", "l3"} {
		w.line("mov.f64 %%%s, 0d0000000000000000;", name)
	}
	for _, name := range []string{"lean", "weigh", "by"} {
		w.line("mov.u64 %%%s, %s;", name, name)
	}
	w.line("mov.u32 %%k, 0;")
	w.text.WriteString("EIGHT:\n")
	for i := 0; i < 8; i += 2 {
		w.pair(i)
	}
	w.line("add.u64 %%row, %%row, %d;", 8*w.traits.Bytes())
	for _, name := range []string{"lean", "weigh", "by"} {
		w.line("add.u64 %%%s, %%%s, 64;", name, name)
	}
	w.line("add.u32 %%k, %%k, 8;")
	w.line("setp.lt.u32 %%q, %%k, %d;", Tile)
	w.line("@%%q bra EIGHT;")
	w.line("add.rn.f64 %%l0, %%l0, %%l2;")
	w.line("add.rn.f64 %%l1, %%l1, %%l3;")
	w.line("add.rn.f64 %%l0, %%l0, %%l1;")
	w.line("mad.wide.u32 %%w, %%j, 8, %%shared;")
	w.line("ld.global.nc.f64 %%x0, [%%w];")
	w.line("mul.rn.f64 %%x0, %%l0, %%x0;")
	w.line("add.rn.f64 %%g, %%g, %%x0;")
	w.line("mul.wide.u32 %%w, %%tile, %d;", 8*w.code.Parts())
	w.line("add.u64 %%w, %%w, %%sums;")
	w.line("mad.wide.u32 %%w, %%j, 8, %%w;")
	w.line("st.global.f64 [%%w+8], %%g;")
	w.line("add.u32 %%j, %%j, %d;", Tile)
	w.line("bra COLUMN;")
	w.text.WriteString("SUMMED:\n")
}

// pair adds two individuals, of eight, to a column and to the lanes of their along.
func (w *writer) pair(i int) {
	if w.traits == Float32 {
		w.line("ld.global.nc.v2.f32 {%%h0, %%h1}, [%%row+%d];", 4*i)
		w.line("cvt.f64.f32 %%x0, %%h0;")
		w.line("cvt.f64.f32 %%x1, %%h1;")
	} else {
		w.line("ld.global.nc.v2.f64 {%%x0, %%x1}, [%%row+%d];", 8*i)
	}
	if w.code.units != nil {
		w.line("ld.shared.v2.f64 {%%y0, %%y1}, [%%by+%d];", 8*i)
		w.line("mul.rn.f64 %%x0, %%x0, %%y0;")
		w.line("mul.rn.f64 %%x1, %%x1, %%y1;")
	}
	w.line("ld.shared.v2.f64 {%%y0, %%y1}, [%%weigh+%d];", 8*i)
	w.line("ld.shared.v2.f64 {%%a0, %%a1}, [%%lean+%d];", 8*i)
	for n := range 2 {
		w.line("mul.rn.f64 %%x%d, %%y%d, %%x%d;", n, n, n)
		w.line("add.rn.f64 %%g, %%g, %%x%d;", n)
		lane := fmt.Sprintf("%%l%d", (i+n)%4)
		w.line("add.rn.f64 %s, %s, %%a%d;", lane, lane, n)
	}
}

// farthest lets the last thread note the largest Off of the tile. Numbers without a sign are ordered as their bits are.
func (w *writer) farthest() {
	w.line("setp.ne.u32 %%q, %%lane, %d;", Tile-1)
	w.line("@%%q bra NOTED;")
	w.line("mov.u64 %%far, far;")
	w.line("mov.u64 %%most, 0;")
	for i := range Tile {
		w.line("ld.shared.u64 %%one, [%%far+%d];", 8*i)
		w.line("max.u64 %%most, %%most, %%one;")
	}
	w.line("ld.param.u64 %%worst, [worst];")
	w.line("ld.volatile.global.u64 %%one, [%%worst];")
	w.line("setp.gt.u64 %%q, %%most, %%one;")
	w.line("@%%q red.global.max.u64 [%%worst], %%most;")
	w.text.WriteString("NOTED:\n")
}
