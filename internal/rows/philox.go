package rows

import "math/bits"

// Philox fills dst, whose length is a multiple of 4, with Philox4x64-10 [salmon2011] under a key: a block of four words for
// each of the counters w, w+1, …, whose other words are x, y and z.
func Philox(dst []uint64, key [2]uint64, counter [4]uint64) {
	if whole := len(dst) &^ 31; whole > 0 && hasIFMA() {
		philoxAVX512(&dst[0], whole/4, key[0], key[1], counter[0], counter[1], counter[2], counter[3])
		counter[0] += uint64(whole / 4)
		dst = dst[whole:]
	}
	philoxPlain(dst, key, counter)
}

func philoxPlain(dst []uint64, key [2]uint64, counter [4]uint64) {
	for ; len(dst) >= 4; dst = dst[4:] {
		dst[0], dst[1], dst[2], dst[3] = rounds(key[0], key[1], counter[0], counter[1], counter[2], counter[3])
		counter[0]++
	}
}

const (
	mul0, mul1 = 0xD2E7470EE14C6C93, 0xCA5A826395121157
	add0, add1 = 0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B
)

// rounds works on numbers of their own, which the compiler keeps in registers.
func rounds(k0, k1, w, x, y, z uint64) (uint64, uint64, uint64, uint64) {
	for range 10 {
		hi0, lo0 := bits.Mul64(mul0, w)
		hi1, lo1 := bits.Mul64(mul1, y)
		w, x, y, z = hi1^x^k0, lo1, hi0^z^k1, lo0
		k0 += add0
		k1 += add1
	}
	return w, x, y, z
}
