// Package web has the dashboard of the decision service, built from its sources by the module in build, and the charts that it shares with
// the pages of reports.
package web

import (
	"embed"
	"io/fs"
)

//go:generate go -C build run . -out ../dist

//go:embed dist
var built embed.FS

//go:embed chart/charts.js library/uplot
var shared embed.FS

// Dashboard is the files of the dashboard.
func Dashboard() fs.FS {
	files, err := fs.Sub(built, "dist")
	if err != nil {
		panic(err) // of a name that is no path
	}
	return files
}

// Charts is the chart library with its licence in library/uplot, and the charts drawn with it in chart.
func Charts() fs.FS { return shared }
