package kind

import (
	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/sensitivity"
)

// Wrong says how a sensitivity is spoiled on purpose.
type Wrong struct {
	Scale, Rotate float64
	Stale         int
}

func (w *Wrong) describe(f *form.Form) {
	f.Shared("wrong", func() {
		form.Field(f, "scale", &w.Scale, form.Number("a number above 0 to 1e6", form.Above(0, 1e6)).Or(1), form.Says("What the sensitivity is multiplied by.", "", "0.5"))
		form.Field(f, "rotate", &w.Rotate, form.Number("degrees from -180 to 180", form.Closed(-180, 180)).Or(0), form.Says("The angle by which products with the sensitivity are turned, in degrees.", "", "30"))
		form.Field(f, "stale", &w.Stale, form.Count(0, 1<<20).Or(0), form.Says("The sensitivity is taken at the decision of so many turns ago.", "", "100"))
	})
}

// none tells whether the sensitivity is left as it is.
func (w *Wrong) none() bool { return w == nil || *w == Wrong{Scale: 1} }

// fresh is the same without age.
func (w *Wrong) fresh() *Wrong {
	if w == nil {
		return nil
	}
	return &Wrong{Scale: w.Scale, Rotate: w.Rotate}
}

// spoil returns what is made of a sensitivity.
func (w *Wrong) spoil(h kedge.Sensitivity) kedge.Sensitivity {
	if w.none() {
		return h
	}
	return &sensitivity.Wrong{Of: h, Scale: w.Scale, Degrees: w.Rotate, Stale: w.Stale}
}
