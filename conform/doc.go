// Package conform tests that an implementation of a noun of package kedge keeps the noun's promises: that inputs stay as
// they are, that destinations are overwritten or added to as said, that derivatives are those of the values, that an error
// changes nothing. Write one test for each of your types:
//
//	func TestDrift(t *testing.T) {
//		conform.Dynamics(t, Drift{}, conform.Cases{Draw: func(r *stream.Stream) (p, u, d []float64) {
//			return []float64{r.Normal()}, []float64{r.Normal()}, []float64{r.Normal()}
//		}})
//	}
//
// Run it with -race as well: parallel trials share their Dynamics, Objective, Sensitivity and Set, and these are called
// from several goroutines here. Cases are drawn from fixed streams, so a failure repeats.
package conform
