// Package portable holds elementary functions that are correctly rounded, but for about one argument in 2⁴⁰, and therefore have the same
// bits on every target; those of package math depend on the target, and math.Exp on the processor. Special cases are those of math.
//
// A number is carried as a pair, the sum of two float64 (see pair.go). Every function reduces its argument, sums a Taylor series in pairs
// and rounds once. Exponentials, logarithms and powers first try a short form with tables, whose error is below 2⁻⁶⁴: if both ends of that
// error round to the same number, it is the answer, and otherwise the series is summed. So the short form saves time and decides no bit.
//
// Products are rounded or fused as written here: float64(a*b) + c rounds twice, math.FMA(a, b, c) once, on all targets.
package portable
