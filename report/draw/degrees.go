package draw

// DegreeBins is how wide bins of angles are, 1, 2 or 5 degrees: the least that needs no more than 36 bins for angles up to 180.
func DegreeBins(all Extent) float64 {
	return min(max(NiceStep(max(all.High-all.Low, 1)/36), 1), 5)
}

// DegreeAxis has labels at distances that suit angles.
func DegreeAxis(e Extent, label string) Axis {
	a := Axis{Ruler: Ruler{Min: e.Low, Max: e.High}, Label: label}
	a.Marks = a.Multiples(degreeStep(e.High - e.Low))
	for i := range a.Marks {
		a.Marks[i].Label += "°"
	}
	return a
}

func degreeStep(span float64) float64 {
	for _, step := range []float64{1, 2, 5, 10, 20, 30} {
		if span/step <= MostLabels {
			return step
		}
	}
	return 45
}
