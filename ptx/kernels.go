package ptx

// Wide is how many sums the kernel Tree adds up in one block of threads, which has half as many.
const Wide = 1024

// Tree adds up rows of numbers as rows.AddTree does: every block Wide rows, in one of their columns, to one. Its parameters are the addresses of numbers and of
// results, how many rows there are and how many numbers a row has. Results of results are the sum of all. Blocks stand beside each other by column.
const Tree = `.visible .entry tree(.param .u64 from, .param .u64 to, .param .u64 n, .param .u64 width)
{
	.shared .align 8 .b8 place[8192];
	.reg .u64 %from, %to, %n, %width, %column, %at, %first, %left, %k, %w;
	.reg .u32 %block, %lane, %gap, %step, %have, %i;
	.reg .pred %p, %q;
	.reg .f64 %x, %y;
	ld.param.u64 %from, [from];
	ld.param.u64 %to, [to];
	ld.param.u64 %n, [n];
	ld.param.u64 %width, [width];
	mov.u32 %i, %ctaid.y;
	cvt.u64.u32 %column, %i;
	mov.u32 %block, %ctaid.x;
	mov.u32 %lane, %tid.x;
	mov.u64 %at, place;
	mul.wide.u32 %first, %block, 1024;
	sub.u64 %left, %n, %first;
	min.u64 %left, %left, 1024;
	cvt.u32.u64 %have, %left;
	cvt.u64.u32 %k, %lane;
	add.u64 %k, %k, %first;
	mad.lo.u64 %k, %k, %width, %column;
	mad.lo.u64 %from, %k, 8, %from;
	mad.wide.u32 %w, %lane, 8, %at;
	setp.ge.u32 %p, %lane, %have;
	@!%p ld.global.f64 %x, [%from];
	@!%p st.shared.f64 [%w], %x;
	add.u32 %i, %lane, 512;
	setp.ge.u32 %p, %i, %have;
	mad.lo.u64 %from, %width, 4096, %from;
	@!%p ld.global.f64 %x, [%from];
	@!%p st.shared.f64 [%w+4096], %x;
	mov.u32 %gap, 1;
AGAIN:
	bar.sync 0;
	shl.b32 %step, %gap, 1;
	mul.lo.u32 %i, %lane, %step;
	add.u32 %step, %i, %gap;
	setp.ge.u32 %p, %step, %have;
	@%p bra SKIP;
	mad.wide.u32 %w, %i, 8, %at;
	mad.wide.u32 %k, %step, 8, %at;
	ld.shared.f64 %x, [%w];
	ld.shared.f64 %y, [%k];
	add.rn.f64 %x, %x, %y;
	st.shared.f64 [%w], %x;
SKIP:
	shl.b32 %gap, %gap, 1;
	setp.lt.u32 %q, %gap, %have;
	@%q bra AGAIN;
	bar.sync 0;
	setp.ne.u32 %p, %lane, 0;
	@%p bra OUT;
	ld.shared.f64 %x, [%at];
	cvt.u64.u32 %w, %block;
	mad.lo.u64 %w, %w, %width, %column;
	mad.lo.u64 %w, %w, 8, %to;
	st.global.f64 [%w], %x;
OUT:
	ret;
}
`

// Gather copies the states of some individuals, one behind the other, as float64. Its parameters are the addresses of states, of the individuals'
// numbers and of the copies, how many entries a state has, and how many numbers are copied; a thread copies one.
func Gather(f Precision) string {
	load := "ld.global.f64 %x, [%w];"
	if f == Float32 {
		load = "ld.global.f32 %h, [%w];\n\tcvt.f64.f32 %x, %h;"
	}
	return `.visible .entry gather(.param .u64 from, .param .u64 who, .param .u64 to, .param .u64 m, .param .u64 n)
{
	.reg .u64 %from, %who, %to, %m, %n, %k, %row, %j, %i, %tile, %w;
	.reg .u32 %block, %lane;
	.reg .pred %p;
	.reg .f64 %x;
	.reg .f32 %h;
	ld.param.u64 %from, [from];
	ld.param.u64 %who, [who];
	ld.param.u64 %to, [to];
	ld.param.u64 %m, [m];
	ld.param.u64 %n, [n];
	mov.u32 %block, %ctaid.x;
	mov.u32 %lane, %tid.x;
	cvt.u64.u32 %w, %lane;
	mul.wide.u32 %k, %block, 128;
	add.u64 %k, %k, %w;
	setp.ge.u64 %p, %k, %n;
	@%p bra OUT;
	div.u64 %row, %k, %m;
	rem.u64 %j, %k, %m;
	mad.lo.u64 %w, %row, 8, %who;
	ld.global.u64 %i, [%w];
	shr.u64 %tile, %i, 7;
	and.b64 %i, %i, 127;
	mad.lo.u64 %tile, %tile, %m, %j;
	mad.lo.u64 %i, %tile, 128, %i;
	mad.lo.u64 %w, %i, ` + map[Precision]string{Float64: "8", Float32: "4"}[f] + `, %from;
	` + load + `
	mad.lo.u64 %w, %k, 8, %to;
	st.global.f64 [%w], %x;
OUT:
	ret;
}
`
}
