package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// widen takes 16 entries at a time; what is left is done by plain code.
func widen() {
	kernel("widen", "(dst *float64, x *float32, n int)", "writes x to dst; n must be a positive multiple of 16.")
	dst, x, n := param("dst"), param("x"), param("n")
	Label("sixteen")
	for i := range 4 {
		v := YMM()
		VCVTPS2PD(Mem{Base: x}.Offset(16*i), v)
		VMOVUPD(v, Mem{Base: dst}.Offset(32*i))
	}
	ADDQ(Imm(64), x)
	ADDQ(U32(128), dst)
	SUBQ(Imm(16), n)
	JNZ(LabelRef("sixteen"))
	finish()
}

// narrow is widen the other way, and leaves in x what it wrote.
func narrow() {
	kernel("narrow", "(dst *float32, x *float64, n int)", "writes x to dst, rounded, and rounds x; n must be a positive multiple of 16.")
	dst, x, n := param("dst"), param("x"), param("n")
	Label("sixteen")
	for i := range 4 {
		short, v := XMM(), YMM()
		VCVTPD2PSY(Mem{Base: x}.Offset(32*i), short)
		VMOVUPS(short, Mem{Base: dst}.Offset(16*i))
		VCVTPS2PD(short, v)
		VMOVUPD(v, Mem{Base: x}.Offset(32*i))
	}
	ADDQ(Imm(64), dst)
	ADDQ(U32(128), x)
	SUBQ(Imm(16), n)
	JNZ(LabelRef("sixteen"))
	finish()
}
