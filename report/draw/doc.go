// Package draw makes figures: grids of panels with axes, legends and layers of curves, bars, points, paths or coloured cells, as
// SVG, PNG and PDF. It knows nothing of what is drawn. The same figure gives the same bytes.
//
// A figure is described by plain values, a Grid of Panels, and rendered by Sketch.Render:
//
//	lines := draw.Lines{{Name: "composite", Points: points}}
//	panel := draw.Panel{Layers: []draw.Layer{lines}}
//	x, y := draw.Extents(panel)
//	panel.X, panel.Y = draw.Axis{Ruler: draw.NewRuler(x, false)}, draw.Axis{Ruler: draw.NewRuler(y, true)}
//	figure, err := draw.Grid{Columns: 1, Panels: []draw.Panel{panel}}.Sketch("gap", "Gap", "What to see.", false).Render()
package draw
